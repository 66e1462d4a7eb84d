import { openSharedEngine } from '../fixtures/webgpu/shared-device';
import * as tf from '@tensorflow/tfjs-core';
import { describe, expect, it } from 'vitest';
import { adamWPlain, type AdamWState } from '../../src/ops/adamw';
import { adamWFused, gradientNormFused } from '../../src/ops/adamw/wgsl';
import { embeddingPlain } from '../../src/ops/embedding';
import { embeddingFused } from '../../src/ops/embedding/wgsl';
import { gatherRows } from '../../src/ops/gather-rows';
import { takeRows } from '../../src/ops/take-rows';
import { rmsNormPlain } from '../../src/ops/rms-norm';
import { rmsNormFused } from '../../src/ops/rms-norm/wgsl';
import { disposeTables, ropePlain, ropeTables, rotaryFrequencies, rotationAt } from '../../src/ops/rope';
import { ropeFused } from '../../src/ops/rope/wgsl';
import { swigluPlain } from '../../src/ops/swiglu';
import { swigluFused } from '../../src/ops/swiglu/wgsl';
import {
  asOn,
  BOTH_KINDS,
  expectClose,
  expectFiniteDifferences,
  onCpu,
  poison,
  randomTensor,
  seeded,
} from './kernel-checks';
import { openEngineForAll } from '../fixtures/engine';

openEngineForAll(openSharedEngine);

/** Values and all gradients of one twin equal the other's. */
async function expectTwins(
  fused: (...inputs: tf.Tensor[]) => tf.Tensor,
  plain: (...inputs: tf.Tensor[]) => tf.Tensor,
  inputs: tf.Tensor[],
  dy: tf.Tensor,
): Promise<void> {
  const [value, ...expected] = await onCpu(() => [
    plain(...inputs),
    ...tf.grads((...args: tf.Tensor[]) => plain(...args))(inputs, dy),
  ]);
  poison(dy.shape, ...inputs.map((input) => input.shape));
  await expectClose(fused(...inputs), value);
  const actual = tf.grads((...args: tf.Tensor[]) => fused(...args))(inputs, dy);
  for (let i = 0; i < inputs.length; i++) await expectClose(actual[i], expected[i]);
}

describe.each(BOTH_KINDS)('as on %s', (kind) => {
  asOn(kind);

  describe.each([
    [1, 7],
    [3, 64],
    [131, 130],
  ])('with %i rows of %i', (rows, width) => {
    it('rmsNorm equals its reference implementation', async () => {
      const random = seeded(`norm ${rows}`);
      const inputs = [randomTensor(random, [rows, width], 3), randomTensor(random, [width])];
      await expectTwins(
        (x, weight) => rmsNormFused(x as tf.Tensor2D, weight as tf.Tensor1D, 1e-5),
        (x, weight) => rmsNormPlain(x as tf.Tensor2D, weight as tf.Tensor1D, 1e-5),
        inputs,
        randomTensor(random, [rows, width]),
      );
    });

    it('swiglu equals its reference implementation', async () => {
      const random = seeded(`swiglu ${rows}`);
      const inputs = [randomTensor(random, [rows, width], 4), randomTensor(random, [rows, width])];
      await expectTwins(
        (gate, up) => swigluFused(tf.concat([gate as tf.Tensor2D, up as tf.Tensor2D], 1)),
        (gate, up) => swigluPlain(gate as tf.Tensor2D, up as tf.Tensor2D),
        inputs,
        randomTensor(random, [rows, width]),
      );
    });

    it('embedding equals its reference implementation, with repeated and absent tokens', async () => {
      const random = seeded(`embedding ${rows}`);
      const vocabulary = 150;
      const ids = tf.tensor1d(
        Int32Array.from({ length: rows }, () => random.integer(vocabulary >> 1)),
        'int32',
      );
      const weight = { format: 'f32' as const, outputs: vocabulary, inputs: width, trainable: true };
      await expectTwins(
        (data) => embeddingFused(ids, { ...weight, data: data as tf.Tensor2D }),
        (data) => embeddingPlain(ids, { ...weight, data: data as tf.Tensor2D }),
        [randomTensor(random, [vocabulary, width])],
        randomTensor(random, [rows, width]),
      );
    });
  });
});

it.each([
  [5, 3, 8],
  [70, 1, 6],
])('rope of %i rows, %i heads of %i equals its reference implementation', async (rows, heads, headDim) => {
  const random = seeded(`rope ${rows}`);
  const tables = ropeTables(200, rotaryFrequencies(headDim, 10000));
  const positions = Int32Array.from({ length: rows }, () => random.integer(200));
  const rotation = await onCpu(() => rotationAt(tables, positions));
  await expectTwins(
    (x) => ropeFused(x as tf.Tensor3D, rotation.positions, tables),
    (x) => ropePlain(x as tf.Tensor3D, rotation.plain!),
    [randomTensor(random, [rows, heads, headDim])],
    randomTensor(random, [rows, heads, headDim]),
  );
  disposeTables(tables);
});

describe('adamW', () => {
  const settings = {
    learningRate: 0.01,
    beta1: 0.9,
    beta2: 0.999,
    epsilon: 1e-8,
    weightDecay: 0.1,
    gradientScale: 0.3,
  };
  const size = 1001;
  const fresh = (values: tf.Tensor1D): AdamWState => ({
    parameters: tf.keep(tf.add(values, 0)),
    moment1: tf.keep(tf.zeros([size])),
    moment2: tf.keep(tf.zeros([size])),
  });

  it('takes the same three steps as its reference implementation', async () => {
    const random = seeded('adamw');
    const start = randomTensor<tf.Rank.R1>(random, [size]);
    const [fused, plain] = [fresh(start), fresh(start)];
    for (let update = 1; update <= 3; update++) {
      const gradient = randomTensor<tf.Rank.R1>(random, [size]);
      adamWFused(fused, gradient, { ...settings, update });
      adamWPlain(plain, gradient, { ...settings, update });
    }
    await expectClose(fused.parameters, plain.parameters);
    await expectClose(fused.moment1, plain.moment1);
    await expectClose(fused.moment2, plain.moment2);
  });

  it('leaves a clone of the parameters as it was', async () => {
    const start = tf.ones<tf.Rank.R1>([size]);
    const state = fresh(start);
    const reference = tf.clone(state.parameters);
    adamWFused(state, tf.ones([size]), { ...settings, update: 1 });
    await expectClose(reference, start);
    expect((await state.parameters.data())[0]).not.toBe(1);
  });

  it('has the norm of the gradient, the same bits in every run', async () => {
    const gradient = randomTensor<tf.Rank.R1>(seeded('norm'), [100_003]);
    const values = Float32Array.from(await gradient.data());
    const expected = Math.sqrt(values.reduce((sum, value) => sum + value * value, 0));
    const first = await gradientNormFused(gradient);
    expect(Math.abs(first / expected - 1)).toBeLessThan(1e-6);
    for (let run = 1; run < 12; run++) expect(await gradientNormFused(gradient)).toBe(first);
  });
});

it('gradients of rmsNorm, swiglu, rope, embedding and gatherRows equal finite differences', async () => {
  const random = seeded('differences');
  const target = randomTensor(random, [4, 6]);
  const squared = (y: tf.Tensor): tf.Scalar => tf.sum(tf.mul(tf.mul(y, y), target));
  await expectFiniteDifferences(
    (both) => squared(swigluFused(both as tf.Tensor2D)),
    [randomTensor(random, [4, 12], 2)],
    random,
  );
  await expectFiniteDifferences(
    (x, w) => squared(rmsNormFused(x as tf.Tensor2D, w as tf.Tensor1D, 1e-5)),
    [randomTensor(random, [4, 6], 2), randomTensor(random, [6])],
    random,
  );
  const tables = ropeTables(8, rotaryFrequencies(6, 100));
  const positions = tf.tensor1d([0, 3, 5, 7], 'int32');
  await expectFiniteDifferences(
    (x) => squared(tf.reshape(ropeFused(tf.reshape(x, [4, 1, 6]), positions, tables), [4, 6])),
    [randomTensor(random, [4, 6], 2)],
    random,
  );
  const ids = tf.tensor1d([2, 0, 2, 4], 'int32');
  const table = { format: 'f32' as const, outputs: 5, inputs: 6, trainable: true };
  await expectFiniteDifferences(
    (data) => squared(embeddingFused(ids, { ...table, data: data as tf.Tensor2D })),
    [randomTensor(random, [5, 6])],
    random,
    { samples: 12 },
  );
  await expectFiniteDifferences(
    (x) => squared(gatherRows(x as tf.Tensor2D, [0, 2, 3, 6])),
    [randomTensor(random, [7, 6])],
    random,
    { samples: 12 },
  );
});

it('takes rows of floats and of integers, in any order and of any shape, with their bits', async () => {
  const floats = tf.tensor3d([0.1, -0, 3e-42, 1, 2, 3, 4, 5, 6, 7, 8, 9], [3, 2, 2]);
  const integers = tf.tensor1d(Int32Array.of(2 ** 24 + 1, -1, 7), 'int32');
  const taken = takeRows(floats, [2, 0, 0]);
  expect(taken.shape).toEqual([3, 2, 2]);
  const expected = Float32Array.of(6, 7, 8, 9, 0.1, -0, 3e-42, 1, 0.1, -0, 3e-42, 1);
  expect(await taken.data()).toEqual(expected);
  const whole = takeRows(integers, [1, 0, 2, 0]);
  expect(whole.dtype).toBe('int32');
  expect(await whole.data()).toEqual(Int32Array.of(-1, 2 ** 24 + 1, 7, 2 ** 24 + 1));
  tf.dispose([floats, integers, taken, whole]);
});
