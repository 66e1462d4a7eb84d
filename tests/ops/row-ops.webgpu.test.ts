/** Parts of the ops on WebGPU. */
import { openPoisoned } from '../fixtures/webgpu/poisoned';
import * as tf from '@tensorflow/tfjs-core';
import { expect, it, vi } from 'vitest';
import { elementKernel, emptyTensor, runElements } from '../../src/gpu/kernel';
import { addEach } from '../../src/ops/add-each';
import { GUMBEL } from '../../src/ops/lib/philox.wgsl';
import { tokenLogprobWgsl } from '../../src/ops/token-logprob/wgsl';
import type { PoolInternals } from '../../src/gpu/webgpu/known-internals';
import { openEngineForAll } from '../fixtures/engine';
import { expectClose, scoring, seeded, testParts } from './kernel-checks';
import { randomTensor } from './random-tensors';

openEngineForAll(openPoisoned);

testParts();

it('Gumbel noise is exact to 2e-6 at both ends and between', async () => {
  const draws = [
    0, 255, 256, 0x7fffffff, 0x80000000, 0xfffffeff, 0xffffff00, 0xffffffff, 0xfff00000, 0x12345678,
  ];
  const noise = elementKernel({
    ...{ name: 'noise', inputs: { draws: 'u32' }, outputs: { gumbels: 'f32' }, uniforms: {} },
    ...{ declarations: GUMBEL, body: 'gumbels[i] = gumbel(draws[i]);' },
  });
  const gumbels = emptyTensor<tf.Rank.R1>([draws.length]);
  const inputs = { draws: tf.tensor1d(Int32Array.from(draws), 'int32') };
  runElements(noise, draws.length, { inputs, outputs: { gumbels }, uniforms: {} });
  for (const [i, found] of (await gumbels.data()).entries()) {
    const exact = -Math.log(-Math.log(((draws[i] >>> 8) + 0.5) / 2 ** 24));
    expect(Math.abs(found - exact) / Math.max(1, Math.abs(exact))).toBeLessThan(2e-6);
  }
});

it.each([1, 4, 9])('adds %i pairs of different sizes and disposes of the terms', async (count) => {
  const random = seeded(`add ${count}`);
  const shapes = Array.from({ length: count }, (_, i) => [1 + ((i * 7) % 5), 1 + ((i * 61) % 130)]);
  const sums = shapes.map((shape) => randomTensor(random, shape));
  const terms = shapes.map((shape) => randomTensor(random, shape));
  const expected = sums.map((sum, i) => tf.add(sum, terms[i]));
  const before = tf.memory().numTensors;
  const added = addEach(sums, terms);
  expect(tf.memory().numTensors).toBe(before - count);
  for (let i = 0; i < count; i++) await expectClose(added[i], expected[i], 1e-7);
});

it('takes rows in chunks when their logits would not fit, with the same result', async () => {
  const run = scoring(tokenLogprobWgsl);
  const bytes = 30 * 45 * 4 + 3;
  const whole = run(71 * 45 * 4);
  const { bufferManager } = tf.backend() as unknown as { bufferManager: PoolInternals };
  const making = vi.spyOn(bufferManager, 'acquireBuffer');
  const parts = run(bytes);
  expect(Math.max(...making.mock.calls.map(([size]) => size))).toBeLessThanOrEqual(bytes);
  making.mockRestore();
  for (let i = 0; i < 3; i++) await expectClose(parts[i], whole[i]);
});
