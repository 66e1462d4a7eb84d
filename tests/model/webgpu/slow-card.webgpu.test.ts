/**
 * A GPU with .1 TFLOP/s, like the slowest in browsers, under a system that resets a GPU after 2 busy seconds. The work per
 * submit must be limited. It is estimated from the arithmetic that kernels declare; nothing is submitted.
 */
import '../../fixtures/webgpu/node-webgpu';
import * as tf from '@tensorflow/tfjs-core';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { probeAdapter } from '../../../src/gpu/capabilities';
import { openDryEngine } from '../../../src/gpu/dry/engine';
import type { Engine } from '../../../src/gpu/engine';
import { parseModelConfig } from '../../../src/model/config';
import { halfBillionConfig } from '../../fixtures/half-billion';
import type { Policy } from '../../../src/model/policy';
import { priced, type Sent } from '../../fixtures/webgpu/bad-devices';
import { openUnsent, sampleUntil, unwritten } from '../../fixtures/webgpu/unsent';
import { policyOf, pulling } from '../tiny';

const SLOW = 0.1e12;
const config = parseModelConfig(halfBillionConfig());
const bindsEmbedding =
  (await probeAdapter())!.limits.maxStorageBufferBindingSize >= 2 * config.vocabularySize * config.hiddenSize;

const flopsOf = ({ waits }: Sent): number => waits.reduce((sum, seconds) => sum + seconds, 0) * SLOW;

describe.skipIf(!bindsEmbedding)('on a GPU with .1 TFLOP/s a 0.5B model', () => {
  let engine: Engine;
  let policy: Policy;
  beforeEach(async () => {
    engine = await openUnsent();
    policy = await policyOf(engine, config, unwritten, { rank: 16, alpha: 32 });
  });
  afterEach(() => engine.dispose());

  /** Arithmetic of a prefill and of sampling, counted on a dry engine. */
  const countedFlops = async (maxNewTokens: number): Promise<number> => {
    const dry = await openDryEngine({ backend: 'webgpu' });
    const counted = await policyOf(dry, config, unwritten, { rank: 16, alpha: 32 });
    const { flops } = dry.work;
    const sampling = { samplesPerPrompt: 4, temperature: 1, seed: 1, stopIds: [] };
    await counted.generate(prompts, { ...sampling, maxNewTokens });
    counted.dispose();
    await dry.dispose();
    return dry.work.flops - flops;
  };
  const prompts = Array.from({ length: 8 }, (_, row) => new Array<number>(666).fill(row));
  const sampleFirst = (drawn: number): Promise<void> =>
    sampleUntil(policy, prompts, { samplesPerPrompt: 4, maxNewTokens: 64 }, drawn);

  it('prefills prompts in dispatches below .5 s and submits below 1 s', { tags: ['long'] }, async () => {
    const sent = priced(SLOW);
    await sampleFirst(1);
    expect(flopsOf(sent)).toBeGreaterThan(0.95 * (await countedFlops(1)));
    expect(flopsOf(sent)).toBeLessThan(1.05 * (await countedFlops(2)));
    expect(Math.max(...sent.dispatches)).toBeLessThan(0.5);
    expect(Math.max(...sent.submits)).toBeLessThan(1);
    expect(Math.max(...sent.waits)).toBeLessThan(8);
  });

  it('can be stopped between prompts without a leak', async () => {
    const sent = priced(SLOW);
    const before = tf.memory().numTensors;
    await sampleFirst(0);
    expect(flopsOf(sent)).toBeLessThan(0.2 * (await countedFlops(1)));
    expect(tf.memory().numTensors - before).toBeLessThan(8); // the rotation tables remain
  });

  it('trains on its longest sequences likewise', async () => {
    const sent = priced(SLOW);
    const sequences = [0, 1].map((row) => new Array<number>(666 + 2048).fill(row));
    await policy.backward(sequences, [666, 666], pulling(1));
    expect(Math.max(...sent.dispatches)).toBeLessThan(0.5);
    expect(Math.max(...sent.submits)).toBeLessThan(1);
    expect(sent.waits).toHaveLength(3); // it waits after each micro-batch
  });
});
