/**
 * One test per fault of tfjs-backend-webgpu 4.22.0 that the engine guards against. Each shows the right behaviour under
 * the guard; where the guard is a switch, it also shows the fault without it, so that a repaired tfjs is noticed.
 */
import '../fixtures/node-webgpu';
import * as tf from '@tensorflow/tfjs-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Engine } from '../../src/gpu/engine';
import { openEngine } from '../../src/gpu/engine';
import { embedding } from '../../src/ops/embedding';
import { linear } from '../../src/ops/linear';
import { withPlainTwins } from '../../src/ops/twin';
import { randomTensor, seeded } from '../ops/fused-twins';

let engine: Engine;
beforeAll(async () => {
  engine = await openEngine({ backend: 'webgpu' });
});
afterAll(() => engine.dispose());

/** Largest error of a·bᵀ in a few elements, in double precision. */
async function productError(a: tf.Tensor2D, b: tf.Tensor2D, product: tf.Tensor2D): Promise<number> {
  const [left, right, values] = [await a.data(), await b.data(), await product.data()];
  const [m, k] = a.shape;
  const n = b.shape[0];
  let worst = 0;
  for (let i = 0; i < m * n; i += 7) {
    let sum = 0;
    for (let j = 0; j < k; j++) sum += left[Math.floor(i / n) * k + j] * right[(i % n) * k + j];
    worst = Math.max(worst, Math.abs(sum - values[i]));
  }
  return worst;
}

describe('a product with a transposed factor and a long contraction', () => {
  const make = () => {
    const random = seeded('split');
    return [
      randomTensor<tf.Rank.R2>(random, [128, 4864]),
      randomTensor<tf.Rank.R2>(random, [16, 4864]),
    ] as const;
  };

  it('is right, plain and fused', async () => {
    const [a, b] = make();
    expect(await productError(a, b, tf.matMul(a, b, false, true))).toBeLessThan(1e-2);
    const weight = { format: 'f32' as const, data: b, outputs: 16, inputs: 4864, trainable: false };
    expect(await productError(a, b, linear(a, weight))).toBeLessThan(1e-2);
  });

  it('is wrong without the guard', async () => {
    const [a, b] = make();
    tf.env().set('WEBGPU_MATMUL_PROGRAM_TYPE', -1);
    const unguarded = tf.matMul<tf.Tensor2D>(a, b, false, true);
    tf.env().set('WEBGPU_MATMUL_PROGRAM_TYPE', 3);
    expect(await productError(a, b, unguarded)).toBeGreaterThan(1);
  });

  it('gives the same bits in 12 runs', async () => {
    const [a, b] = make();
    const first = await tf.matMul(a, b, false, true).data();
    for (let run = 1; run < 12; run++) expect(await tf.matMul(a, b, false, true).data()).toEqual(first);
  });
});

it('small ops run on the device, not on values that the CPU happens to hold', () => {
  expect(tf.env().getBool('WEBGPU_CPU_FORWARD')).toBe(false);
  const before = engine.counts().dispatches;
  tf.dispose(tf.add(tf.tensor1d([1]), tf.tensor1d([2])));
  expect(engine.counts().dispatches).toBe(before + 1);
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
  const sums = new Float64Array(64);
  const [tokens, slopes] = [await ids.data(), await dy.data()];
  tokens.forEach((token, row) => {
    if (token === 3) for (let c = 0; c < 64; c++) sums[c] += slopes[row * 64 + c];
  });
  sums.forEach((sum, c) => expect(values[3 * 64 + c]).toBeCloseTo(sum, 3));
});

it('gradients of plain twins work without tfjs-core being imported whole', async () => {
  const slope = await withPlainTwins(() =>
    tf.grad((x: tf.Tensor) => tf.sum(tf.softmax(x)))(tf.tensor2d([[1, 2, 3]])),
  );
  for (const value of await slope.data()) expect(Math.abs(value)).toBeLessThan(1e-6);
});
