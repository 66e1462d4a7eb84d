/**
 * A device with the least that the specification guarantees: 8 storage buffers, 16 KiB of workgroup memory, 256
 * invocations, 128 MiB in a binding. A model runs on it as on the whole adapter, and a kernel that asks for more is
 * refused by name.
 */
import { leastDevice } from '../fixtures/webgpu/bad-devices';
import { openSharedEngine } from '../fixtures/webgpu/shared-device';
import type * as tf from '@tensorflow/tfjs-core';
import { afterEach, expect, it } from 'vitest';
import { openEngine, type Engine } from '../../src/gpu/engine';
import { defineKernel, emptyTensor, runKernel } from '../../src/gpu/kernel';
import type { Completion, TokenStatistics } from '../../src/model/policy';
import { refusalOf, refusalTextOf } from '../model/refusal';
import { adamW, continued, pulling, tinyPolicy } from '../model/tiny';

let engine: Engine | null = null;
afterEach(() => {
  engine?.dispose();
  engine = null;
});

const openLeast = async (): Promise<Engine> => openEngine({ backend: 'webgpu', device: await leastDevice() });

const prompts = [
  [3, 4, 5],
  [6, 7],
];
const lora = { rank: 8, alpha: 16, seed: 3 };

async function sampleAndTrain(
  opened: Engine,
): Promise<{ completions: Completion[]; statistics: TokenStatistics; gradNorm: number }> {
  engine = opened;
  const policy = await tinyPolicy(opened, {}, lora);
  const options = { samplesPerPrompt: 20, maxNewTokens: 4, temperature: 1, seed: 1, stopIds: [] };
  const completions = await policy.generate(prompts, options);
  const { sequences, lengths } = continued(prompts, completions);
  const statistics = await policy.backward(sequences, lengths, pulling(1));
  const { gradNorm } = await policy.update(adamW(1e-3));
  policy.dispose();
  opened.dispose();
  return { completions, statistics, gradNorm };
}

it(
  'samples and trains with the least limits as with all that the adapter has',
  { tags: ['long'] },
  async () => {
    const least = await openLeast();
    expect(least.capabilities).toMatchObject({
      maxWorkgroupBytes: 16384,
      maxInvocations: 256,
      maxBindingBytes: 2 ** 27,
    });
    const narrow = await sampleAndTrain(least);
    const wide = await sampleAndTrain(await openSharedEngine());
    expect(narrow.completions.map(({ tokens }) => tokens)).toEqual(
      wide.completions.map(({ tokens }) => tokens),
    );
    expect(narrow.gradNorm).toBeGreaterThan(0);
    expect(Math.abs(narrow.gradNorm / wide.gradNorm - 1)).toBeLessThan(1e-4);
    narrow.statistics.logprobs.forEach((row, index) =>
      row.forEach((value, t) =>
        expect(Math.abs(value - wide.statistics.logprobs[index][t])).toBeLessThan(1e-4),
      ),
    );
  },
);

it('names the kernel that such a device cannot run', async () => {
  engine = await openLeast();
  const wide = defineKernel({
    ...{ name: 'wide', inputs: {}, outputs: { y: 'f32' }, uniforms: {} },
    ...{ workgroupSize: [512, 1, 1], body: 'y[0] = 1.0;' },
  });
  const y = emptyTensor<tf.Rank.R1>([1]);
  const run = (): void =>
    runKernel(wide, { inputs: {}, outputs: { y }, uniforms: {}, workgroups: [1, 1, 1] });
  expect(await refusalOf(run)).toBe('gpu/kernel-too-large');
  expect(await refusalTextOf(run)).toContain(
    '"wide" takes 512 invocations in a workgroup; this GPU allows 256',
  );
  y.dispose();
});
