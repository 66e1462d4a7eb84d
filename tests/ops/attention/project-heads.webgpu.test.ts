import { openSharedEngine } from '../../fixtures/webgpu/shared-device';
import * as tf from '@tensorflow/tfjs-core';
import { it } from 'vitest';
import { ropeTables, rotaryFrequencies, rotationAt } from '../../../src/ops/rope';
import { projectHeads, type HeadNorms } from '../../../src/ops/project-heads';
import { expectClose, expectFiniteDifferences, onCpu, poison, randomTensor, seeded } from '../kernel-checks';
import { passedOn } from '../passed-on';
import { openEngineForAll } from '../../fixtures/engine';

openEngineForAll(openSharedEngine);

const SHAPES = [
  { rows: 1, heads: 1, kvHeads: 1, headDim: 2 },
  { rows: 7, heads: 3, kvHeads: 1, headDim: 6 },
  { rows: 33, heads: 4, kvHeads: 2, headDim: 16 },
];

it.each(SHAPES.flatMap((shape) => [true, false].map((normed) => ({ ...shape, normed }))))(
  '$rows rows of $heads and $kvHeads heads of $headDim, normalised $normed: values and gradient equal the reference implementation',
  async ({ rows, heads, kvHeads, headDim, normed }) => {
    const random = seeded(`split ${rows} ${normed}`);
    const tables = ropeTables(64, rotaryFrequencies(headDim, 100));
    const positions = Int32Array.from({ length: rows }, (_, row) => (row * 5) % 61);
    const widths = [heads, kvHeads, kvHeads].map((count) => count * headDim);
    const width = (heads + 2 * kvHeads) * headDim;
    const qkv = randomTensor<tf.Rank.R2>(random, [rows, width]);
    const weights = [heads, kvHeads, kvHeads].map((count) => randomTensor(random, [rows, count, headDim]));
    const norms: HeadNorms | null = normed
      ? { q: randomTensor(random, [headDim], 2), k: randomTensor(random, [headDim], 2), epsilon: 1e-3 }
      : null;
    const twin = (): { parts: tf.Tensor3D[]; back: tf.Tensor } => {
      const rotation = rotationAt(tables, positions);
      const split = (x: tf.Tensor): tf.Tensor3D[] =>
        projectHeads(x as tf.Tensor2D, passedOn(widths), { heads, kvHeads, headDim }, rotation, norms);
      const loss = (x: tf.Tensor): tf.Tensor =>
        tf.addN(split(x).map((part, i) => tf.sum(tf.mul(part, weights[i]))));
      return { parts: split(qkv), back: tf.grad(loss)(qkv) };
    };
    const expected = await onCpu(twin);
    poison([rows, width], ...weights.map(({ shape }) => shape));
    const { parts, back } = twin();
    for (const [i, part] of parts.entries()) await expectClose(part, expected.parts[i]);
    await expectClose(back, expected.back);
  },
);

it('gradients equal finite differences', async () => {
  const random = seeded('split differences');
  const tables = ropeTables(8, rotaryFrequencies(6, 100));
  const rotation = rotationAt(tables, Int32Array.from([0, 3, 7]));
  const target = randomTensor(random, [3, 5, 6]);
  const loss = (qkv: tf.Tensor): tf.Scalar => {
    const shape = { heads: 3, kvHeads: 1, headDim: 6 };
    const parts = projectHeads(qkv as tf.Tensor2D, passedOn([18, 6, 6]), shape, rotation, null);
    return tf.sum(tf.mul(tf.square(tf.concat(parts, 1)), target));
  };
  await expectFiniteDifferences(loss, [randomTensor(random, [3, 30])], random);
});
