/**
 * A 0.5B model with the longest sequences of the presets on devices with a limit of 128 or 256 MiB per binding, as on many
 * phones and laptops, and 8 buffers per kernel. Nothing is submitted; the test compares the bindings with the limits.
 */
import '../../fixtures/webgpu/node-webgpu';
import * as tf from '@tensorflow/tfjs-core';
import { afterEach, describe, expect, it } from 'vitest';
import type { AdapterTraits } from '../../../src/gpu/capabilities';
import type { Engine } from '../../../src/gpu/engine';
import { parseModelConfig } from '../../../src/model/config';
import { halfBillionConfig } from '../../fixtures/half-billion';
import { sampled } from '../../fixtures/sample';
import { openUnsent, sampleUntil, unwritten } from '../../fixtures/webgpu/unsent';
import { adamW, policyOf, pulling } from '../tiny';

let engine: Engine;
afterEach(() => engine.dispose());

/** Records the sizes of all later bindings on a device with the limit `maxBindingBytes`, and the numbers of buffers of kernels. */
function bindAtMost(maxBindingBytes: number): { bound: number[]; buffers: number[] } {
  const backend = tf.backend() as unknown as { device: GPUDevice; traits: AdapterTraits };
  backend.traits = { ...backend.traits, maxBindingBytes };
  const [bound, buffers]: [number[], number[]] = [[], []];
  backend.device.createShaderModule = ({ code }) => {
    buffers.push(code.split('var<storage').length - 1);
    return {} as GPUShaderModule;
  };
  backend.device.createBindGroup = ({ entries }) => {
    for (const { resource } of entries) {
      const { buffer, offset = 0, size } = resource as GPUBufferBinding;
      bound.push(size ?? buffer.size - offset);
    }
    return {} as GPUBindGroup;
  };
  return { bound, buffers };
}

describe.each(sampled([128], [128, 256]))('with a binding limit of %i MiB', (mebibytes) => {
  const limit = mebibytes * 2 ** 20;
  const config = parseModelConfig(halfBillionConfig());
  const normed = parseModelConfig({
    ...halfBillionConfig(),
    architectures: ['Qwen3ForCausalLM'],
    model_type: 'qwen3',
    head_dim: 64,
  });

  it.each([
    ['Qwen2.5', config],
    ['Qwen3, which norms its heads', normed],
  ])('a 0.5B model of %s samples, scores under its reference, and trains', async (_name, config) => {
    engine = await openUnsent();
    const { bound, buffers } = bindAtMost(limit);
    const policy = await policyOf(engine, config, unwritten, { rank: 16, alpha: 32 });
    const [promptTokens, responseTokens] = [666, 2048];
    const prompt = new Array<number>(promptTokens).fill(1);
    await sampleUntil(policy, [prompt], { samplesPerPrompt: 10, maxNewTokens: responseTokens });
    const sequences = [[...prompt, ...new Array<number>(responseTokens).fill(2)]];
    await policy.logprobs(sequences, [promptTokens], { adapter: 'off' });
    await policy.backward(sequences, [promptTokens], pulling(1));
    await policy.update(adamW(1e-4));
    expect(Math.max(...bound)).toBeGreaterThan(80e6);
    expect(Math.max(...bound)).toBeLessThanOrEqual(limit);
    expect(Math.max(...buffers)).toBeLessThanOrEqual(8);
  });
});
