/**
 * One test per fault of tfjs-backend-webgpu 4.22.0 that the engine guards against, in order of discovery. Each shows
 * the right behaviour under the guard. Some tests are elsewhere. engine.webgpu.test.ts covers shaders that do not compile,
 * memory of sizes that are no longer requested, and tensors written in place after they were read. ops/against-reference.webgpu.test.ts covers
 * sampling, which drew the same category for every row. model/webgpu/policy.webgpu.test.ts covers gradients of
 * recomputed blocks.
 */
import { openSharedEngine } from '../fixtures/webgpu/shared-device';
import * as tf from '@tensorflow/tfjs-core';
import { expect, it } from 'vitest';
import { adamW } from '../../src/ops/adamw';
import { embedding } from '../../src/ops/embedding';
import { engine, openEngineForAll } from '../fixtures/engine';
import { sampled } from '../fixtures/sample';
import { seeded } from '../ops/kernel-checks';
import { randomTensor } from '../ops/random-tensors';

openEngineForAll(openSharedEngine);

it('a product with a transposed factor and a long contraction is right, with the same bits in every run', async () => {
  const random = seeded('split');
  const [a, b] = [128, 16].map((rows) => randomTensor<tf.Rank.R2>(random, [rows, 4864]));
  const product = async () => tf.matMul(a, b, false, true).data();
  const values = await product();
  const [left, right] = [await a.data(), await b.data()];
  values.forEach((value, at) => {
    if (at % 7 > 0) return;
    const [row, column] = [Math.floor(at / 16) * 4864, (at % 16) * 4864];
    let sum = 0;
    for (let k = 0; k < 4864; k++) sum += left[row + k] * right[column + k];
    expect(Math.abs(value - sum)).toBeLessThan(1e-2);
  });
  for (let run = 1; run < sampled(4, 12); run++) expect(await product()).toEqual(values);
});

it('small ops run on the device, not on values that the CPU happens to hold', () => {
  expect(tf.env().getBool('WEBGPU_CPU_FORWARD')).toBe(false);
  const before = engine.counts().dispatches;
  tf.dispose(tf.add(tf.tensor1d([1]), tf.tensor1d([2])));
  expect(engine.counts().dispatches).toBe(before + 1);
});

it('an update of 8 variables is one command', () => {
  const flat = (value: number): tf.Tensor1D => tf.fill<tf.Rank.R1>([800], value);
  const state = { parameters: flat(1), moment1: flat(0), moment2: flat(0) };
  const gradient = flat(0.5);
  tf.dispose(tf.concat([state.parameters, state.moment1, state.moment2, gradient])); // all are on the device
  const before = engine.counts().dispatches;
  const settings = { learningRate: 0.1, beta1: 0.9, beta2: 0.99, epsilon: 1e-8, weightDecay: 0 };
  adamW(state, gradient, { ...settings, update: 1, gradientScale: 1 });
  expect(engine.counts().dispatches - before).toBe(1);
  tf.dispose([state.parameters, state.moment1, state.moment2, gradient]);
});

it('the gradient of an embedding repeats to the bit and makes no second copy of the table', async () => {
  const random = seeded('gather');
  const table = tf.keep(randomTensor<tf.Rank.R2>(random, [500, 64]));
  const ids = tf.tensor1d(
    Int32Array.from({ length: 900 }, () => random.integer(6)),
    'int32',
  );
  const dy = randomTensor<tf.Rank.R2>(random, [900, 64]);
  const gradient = (data: tf.Tensor): tf.Tensor =>
    tf.grad((t: tf.Tensor) =>
      embedding(ids, { format: 'f32', data: t as tf.Tensor2D, outputs: 500, inputs: 64, trainable: true }),
    )(data, dy);
  const first = gradient(table);
  const values = await first.data();
  engine.resetPeak();
  const before = engine.memory().peak;
  const again = gradient(table);
  expect(engine.memory().peak - before).toBeLessThan(1.5 * 500 * 64 * 4 + 900 * 64 * 4);
  expect(await again.data()).toEqual(values);
});
