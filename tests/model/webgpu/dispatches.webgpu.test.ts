/** Number of dispatches per layer. They are counted when recorded and not submitted. */
import '../../fixtures/webgpu/node-webgpu';
import * as tf from '@tensorflow/tfjs-core';
import { describe, expect, it, vi } from 'vitest';
import type { Policy } from '../../../src/model/policy';
import { engine, openEngineForAll } from '../../fixtures/engine';
import { sampled } from '../../fixtures/sample';
import { openUnsent } from '../../fixtures/webgpu/unsent';
import { asOn } from '../../ops/kernel-checks';
import { pulling, tinyPolicy } from '../tiny';

openEngineForAll(openUnsent);

const lora = { rank: 8, alpha: 16, seed: 3 };

/** Sizes with sums so long that a GPU would split the contraction of a tile. */
const wide = { hiddenSize: 516, heads: 129, headDim: 4, intermediateSize: 516 };

/** Difference of `count` between a model of two layers and a model of one. */
async function perLayer(
  adapter: typeof lora | null,
  count: (policy: Policy) => Promise<number>,
): Promise<number> {
  const counted = async (layers: number): Promise<number> =>
    count(await tinyPolicy(engine, { ...wide, layers }, adapter));
  return (await counted(2)) - (await counted(1));
}

/** Dispatches that are recorded during `work`. */
async function dispatched(work: () => Promise<unknown>): Promise<number> {
  const before = engine.counts().dispatches;
  await work();
  return engine.counts().dispatches - before;
}

/** Dispatches of one decoding step for `rows` rows. */
async function decodingStep(policy: Policy, rows: number): Promise<number> {
  const options = { temperature: 1, seed: 1, stopIds: [], samplesPerPrompt: rows };
  const sampling = (maxNewTokens: number): Promise<number> =>
    dispatched(() => policy.generate([[3, 4]], { ...options, maxNewTokens }));
  return (await sampling(3)) - (await sampling(2));
}

const sequences = [Array.from({ length: 17 }, (_, t) => 1 + (t % 5))];
const forward = (policy: Policy) => dispatched(() => policy.logprobs(sequences, [4]));
const forwardAndBackward = (policy: Policy) => dispatched(() => policy.backward(sequences, [4], pulling(1)));

describe.each([
  // One row, two blocks of rows, and the maximum: a GPU chooses tiles by the number of rows.
  ['a graphics card', sampled([1, 17, 128], [1, 16, 17, 64, 128])],
  ['a software adapter', [64]],
] as const)('as on %s', (kind, decodedRows) => {
  asOn(kind);

  it.each(decodedRows)('decoding %i rows takes 7 dispatches per layer, with an adapter 11', async (rows) => {
    expect(await perLayer(null, (policy) => decodingStep(policy, rows))).toBe(7);
    expect(await perLayer(lora, (policy) => decodingStep(policy, rows))).toBe(11);
  });

  it('a layer takes 8 dispatches forward and up to 35 forward and backward, 12 and 48 with an adapter', async () => {
    for (const [adapter, ahead, both] of [
      [null, 8, 35],
      [lora, 12, 48],
    ] as const) {
      expect(await perLayer(adapter, forward)).toBe(ahead);
      expect(await perLayer(adapter, forwardAndBackward)).toBeLessThanOrEqual(both);
    }
  });
});

it('a repeated training pass finds most of its bind groups in the cache, also for other lengths', async () => {
  const policy = await tinyPolicy(engine, { ...wide, layers: 4 }, lora);
  const pass = (length: number): Promise<unknown> =>
    policy.backward([Array.from({ length }, (_, t) => 1 + (t % 5))], [4], pulling(1));
  for (const length of [60, 64, 57, 60]) await pass(length);
  const { device } = tf.backend() as unknown as { device: GPUDevice };
  const making = vi.spyOn(device, 'createBindGroup');
  for (const length of [60, 58, 64]) {
    making.mockClear();
    const dispatches = await dispatched(() => pass(length));
    expect(dispatches).toBeGreaterThan(150);
    expect(making.mock.calls.length, `length ${length}`).toBeLessThan(0.4 * dispatches);
  }
  vi.restoreAllMocks();
});

it('recomputes blocks in the backward pass if their tapes exceed the limit', async () => {
  const policy = await tinyPolicy(engine, { ...wide, layers: 1 });
  /** For twenty sequences per micro-batch. */
  const perDeviceBatch = async (deviceBatches: number): Promise<number> => {
    const sequences = Array.from({ length: 20 * deviceBatches }, () => new Array<number>(120).fill(3));
    const lengths = sequences.map((_, row) => 1 + (row % 2)); // neighbours that share no prompt
    return (await dispatched(() => policy.backward(sequences, lengths, pulling(1)))) / deviceBatches;
  };
  const kept = await perDeviceBatch(2); // 95 MB
  expect((await perDeviceBatch(3)) - kept).toBeGreaterThanOrEqual(8); // 143 MB
});

it('skips the backward pass of a micro-batch whose gradients are all zero', async () => {
  const policy = await tinyPolicy(engine, { intermediateSize: 8000 });
  // Four sequences of 128 rows fill a micro-batch.
  const sequences = Array.from({ length: 16 }, (_, row) => new Array<number>(120).fill(row));
  const lengths = sequences.map(() => 1);
  const dispatches = (isOn: (row: number) => boolean): Promise<number> =>
    dispatched(() =>
      policy.backward(sequences, lengths, {
        objective: ({ logprobs }) => ({ logprobs: logprobs.map((row, at) => row.fill(isOn(at) ? 1 : 0)) }),
      }),
    );
  const none = await dispatches(() => false);
  const all = await dispatches(() => true);
  const half = await dispatches((row) => row < 8);
  expect(all).toBeGreaterThan(2 * none);
  expect(half - none).toBeLessThan(0.6 * (all - none));
});
