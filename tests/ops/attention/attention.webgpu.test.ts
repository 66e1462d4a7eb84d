import '../../fixtures/node-webgpu';
import * as tf from '@tensorflow/tfjs-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Engine } from '../../../src/gpu/engine';
import { openEngine } from '../../../src/gpu/engine';
import { attentionPlain } from '../../../src/ops/attention';
import { attentionFused } from '../../../src/ops/attention/wgsl';
import { expectClose, expectFiniteDifferences, poison, randomTensor, seeded } from '../kernel-checks';

let engine: Engine;
beforeAll(async () => {
  engine = await openEngine({ backend: 'webgpu' });
});
afterAll(() => engine.dispose());

type Attention = (q: tf.Tensor4D, k: tf.Tensor4D, v: tf.Tensor4D) => tf.Tensor4D;

function randomInputs(
  name: string,
  batch: number,
  length: number,
  heads: number,
  keyHeads: number,
  headDim: number,
) {
  const random = seeded(name);
  const shapes = [heads, keyHeads, keyHeads].map((count) => [batch, length, count, headDim] as const);
  return {
    inputs: shapes.map((shape) => randomTensor<tf.Rank.R4>(random, [...shape], 2)),
    dy: randomTensor<tf.Rank.R4>(random, [batch, length, heads, headDim]),
  };
}

describe.each([
  [2, 5, 2, 2, 8],
  [1, 70, 3, 1, 6],
  [3, 33, 6, 2, 16],
])('attention over %i sequences of %i, %i heads on %i key heads of %i', (...shape) => {
  it('equals its reference implementation in values and gradients', async () => {
    const { inputs, dy } = randomInputs(shape.join(), ...shape);
    poison(...inputs.map((input) => input.shape));
    const run = (twin: Attention) => {
      const apply = (...[q, k, v]: tf.Tensor[]) => twin(q as tf.Tensor4D, k as tf.Tensor4D, v as tf.Tensor4D);
      return {
        value: apply(...inputs),
        gradients: tf.grads((...args: tf.Tensor[]) => apply(...args))(inputs, dy),
      };
    };
    const [fused, plain] = [run(attentionFused), run(attentionPlain)];
    await expectClose(fused.value, plain.value);
    for (let i = 0; i < 3; i++) await expectClose(fused.gradients[i], plain.gradients[i], 5e-5);
  });
});

it('gives the same bits in 12 runs, forwards and backwards', async () => {
  const { inputs, dy } = randomInputs('bits', 2, 40, 4, 2, 8);
  const run = async () => {
    const gradients = tf.grads((...[q, k, v]: tf.Tensor[]) =>
      attentionFused(q as tf.Tensor4D, k as tf.Tensor4D, v as tf.Tensor4D),
    )(inputs, dy);
    return Promise.all(gradients.map((gradient) => gradient.data()));
  };
  const first = await run();
  for (let i = 1; i < 12; i++) expect(await run()).toEqual(first);
});

it('later positions never reach earlier ones', async () => {
  const { inputs } = randomInputs('causal', 1, 9, 2, 1, 8);
  const [q, k, v] = inputs;
  const late = tf.tensor4d(
    Float32Array.from({ length: v.size }, (_, i) => (i >= 5 * 8 ? 100 : 0)),
    v.shape,
  );
  const before = await attentionFused(q, k, v).data();
  const after = await attentionFused(q, tf.add(k, late), tf.add(v, late)).data();
  expect(after.slice(0, 5 * 2 * 8)).toEqual(before.slice(0, 5 * 2 * 8));
  expect(after.slice(5 * 2 * 8)).not.toEqual(before.slice(5 * 2 * 8));
});

it('gradients equal finite differences', async () => {
  const random = seeded('differences');
  const { inputs } = randomInputs('differences', 1, 6, 2, 1, 8);
  const target = randomTensor(random, [1, 6, 2, 8]);
  await expectFiniteDifferences(
    (q, k, v) => tf.sum(tf.mul(attentionFused(q as tf.Tensor4D, k as tf.Tensor4D, v as tf.Tensor4D), target)),
    inputs,
    random,
  );
});
