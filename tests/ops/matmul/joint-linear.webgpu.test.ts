import { openSharedEngine } from '../../fixtures/webgpu/shared-device';
import * as tf from '@tensorflow/tfjs-core';
import { describe, expect, it } from 'vitest';
import { jointLinear, type JointProjection } from '../../../src/ops/joint-linear';
import type { Float32Weight, Weight } from '../../../src/ops/lib/weight';
import { swiglu, swigluPlain } from '../../../src/ops/swiglu';
import { swigluFused } from '../../../src/ops/swiglu/wgsl';
import type { Random } from '../../../src/base/random';
import {
  asOn,
  BOTH_KINDS,
  expectClose,
  expectFiniteDifferences,
  onCpu,
  poison,
  randomTensor,
  seeded,
} from '../kernel-checks';
import { sampled } from '../../fixtures/sample';
import { passedOn } from '../passed-on';
import { engine, openEngineForAll } from '../../fixtures/engine';
import { f32Weight, randomWeight } from '../random-weight';

openEngineForAll(openSharedEngine);

function randomJoint(
  random: Random,
  format: Weight['format'],
  segments: number[],
  inputs: number,
  rank: number | null,
): JointProjection {
  const outputs = segments.reduce((sum, count) => sum + count, 0);
  return {
    segments,
    weight: randomWeight(random, format, outputs, inputs).weight,
    bias: randomTensor(random, [outputs]),
    adapter:
      rank === null
        ? null
        : {
            a: f32Weight(randomTensor(random, [segments.length * rank, inputs])),
            b: randomTensor(random, [outputs, rank]),
            scale: 0.6,
          },
  };
}

const SCENES: [number, number[], number, number | null][] = [
  [1, [12, 4, 4], 16, 8],
  [5, [18, 6, 6], 7, 3],
  [33, [19, 19], 260, 6],
  [3, [20], 36, null],
  // where a graphics card shares long sums: an output of 4 x 4 blocks, and one of 32 x 16
  [33, [9, 5], 515, 6],
  [37, [255, 5], 516, 8],
  // segments of blocks of four, with a rank of none
  [35, [24, 8, 12], 20, 6],
];

/** Of the product of scenes and weight formats: every other one in f32, and of the rest as many in each packed format. */
const scenesOf = (format: Weight['format']): typeof SCENES =>
  sampled(
    SCENES.filter((_, index) => [0, 2].includes(index % 4) === (format === 'f32')).filter(
      (_, index) => format === 'f32' || (index % 2 === 0) === (format === 'bf16'),
    ),
    SCENES,
  );

/** The same product as a function of what is trained beside an adapter, or without one. */
function asFunction(
  joint: JointProjection,
  x: tf.Tensor2D,
  residual: tf.Tensor2D,
): { values: tf.Tensor[]; run: (...values: tf.Tensor[]) => tf.Tensor } {
  const { adapter, weight } = joint;
  if (adapter) {
    return {
      values: [x, residual, adapter.a.data, adapter.b],
      run: (input, added, data, b) => {
        const a: Float32Weight = { ...adapter.a, data: data as tf.Tensor2D, trainable: true };
        const adapted = { ...joint, adapter: { ...adapter, a, b: b as tf.Tensor2D } };
        return jointLinear(input as tf.Tensor2D, adapted, added as tf.Tensor2D);
      },
    };
  }
  if (weight.format !== 'f32') throw new Error('Only f32 is trained without an adapter.');
  return {
    values: [x, residual, weight.data, joint.bias!],
    run: (input, added, data, bias) => {
      const trained: Float32Weight = { ...weight, data: data as tf.Tensor2D, trainable: true };
      const full = { ...joint, weight: trained, bias: bias as tf.Tensor1D };
      return jointLinear(input as tf.Tensor2D, full, added as tf.Tensor2D);
    },
  };
}

/** A shared sum of one row, an odd number of pairs, tiles of few and of many rows, and blocks of 4 x 4 and 32 x 16. */
const GATED: [Weight['format'], number, number, number, number | null][] = [
  ['f32', 1, 6, 16, 8],
  ['f32', 5, 19, 7, 6],
  ['bf16', 16, 9, 260, null],
  ['bf16', 33, 5, 515, 6],
  ['bf16', 37, 130, 516, 8],
  ['f32', 70, 35, 36, null],
];

describe.each(BOTH_KINDS)('as on %s', (kind) => {
  asOn(kind);

  describe.each(['f32', 'bf16'] as const)('with %s weights', (format) => {
    it.each(scenesOf(format))(
      '%i rows through %j of %i inputs, rank %j: jointLinear equals its reference implementation',
      async (rows, segments, inputs, rank) => {
        const random = seeded(`${format} ${rows}`);
        const joint = randomJoint(random, format, segments, inputs, rank);
        const x = randomTensor<tf.Rank.R2>(random, [rows, inputs]);
        const residual = randomTensor<tf.Rank.R2>(random, [rows, joint.weight.outputs]);
        poison([rows, joint.weight.outputs], [rows, segments.length * (rank ?? 1)]);
        const expected = await onCpu(() => jointLinear(x, joint, residual));
        await expectClose(jointLinear(x, joint, residual), expected);
      },
    );

    it.each(format === 'f32' ? scenesOf(format) : SCENES.slice(0, sampled(1, 2)))(
      '%i rows through %j of %i inputs, rank %j: gradients equal those of the reference implementation',
      async (rows, segments, inputs, rank) => {
        const random = seeded(`back ${format} ${rows}`);
        const joint = randomJoint(random, format, segments, inputs, rank);
        const residual = randomTensor<tf.Rank.R2>(random, [rows, joint.weight.outputs]);
        const dy = randomTensor<tf.Rank.R2>(random, [rows, joint.weight.outputs]);
        const x = randomTensor<tf.Rank.R2>(random, [rows, inputs]);
        const { values, run } = asFunction(joint, x, residual);
        poison([rows, inputs], [rows, segments.length * (rank ?? 1)], ...values.map(({ shape }) => shape));
        const gradients = (): tf.Tensor[] => tf.grads(run)(values, dy);
        const expected = await onCpu(gradients);
        const actual = gradients();
        expect(actual).toHaveLength(4);
        for (const [i, gradient] of actual.entries()) await expectClose(gradient, expected[i]);
      },
    );
  });

  it.each(
    sampled(
      GATED.filter((_, index) => index % 2 === 0),
      GATED,
    ),
  )(
    'a gated product, %s, of %i rows, twice %i outputs and %i inputs, rank %j: equals its reference implementation, and has the bits of the product whose gate is a kernel of its own',
    async (format, rows, width, inputs, rank) => {
      const random = seeded(`gated ${format} ${rows}`);
      const gateUp = { ...randomJoint(random, format, [width, width], inputs, rank), bias: null };
      const x = randomTensor<tf.Rank.R2>(random, [rows, inputs], 0.5);
      const expected = await onCpu(() => swiglu(x, gateUp));
      poison([rows, width], [rows, 2 * (rank ?? 1)]);
      const before = engine.counts().dispatches;
      const gated = swiglu(x, gateUp);
      expect(engine.counts().dispatches - before).toBe(rank === null ? 1 : 2);
      await expectClose(gated, expected);
      const apart = swigluFused(jointLinear(x, gateUp));
      expect(Array.from(await gated.data())).toEqual(Array.from(await apart.data()));
    },
  );

  it.each([
    [1, 6],
    [7, 19],
    [65, 130],
  ])('swiglu of %i rows of twice %i equals its reference implementation', async (rows, width) => {
    const both = randomTensor<tf.Rank.R2>(seeded(`halves ${rows}`), [rows, 2 * width], 3);
    const gateUp = passedOn([width, width]);
    const dy = randomTensor<tf.Rank.R2>(seeded(`halves back ${rows}`), [rows, width]);
    const back = (): tf.Tensor => tf.grad((x: tf.Tensor) => swiglu(x as tf.Tensor2D, gateUp))(both, dy);
    const [apart, joint, expected] = await onCpu(() => {
      const [gate, up] = tf.split<tf.Tensor2D>(both, 2, 1);
      return [swigluPlain(gate, up), swiglu(both, gateUp), back()];
    });
    await expectClose(joint, apart);
    poison([rows, width], [rows, 2 * width]);
    await expectClose(swiglu(both, gateUp), apart);
    await expectClose(back(), expected);
  });
});

it('gradients equal finite differences', async () => {
  const random = seeded('differences');
  const joint = randomJoint(random, 'f32', [5, 3, 3], 7, 6);
  const target = randomTensor<tf.Rank.R2>(random, [4, 11]);
  const { values, run } = asFunction(
    joint,
    randomTensor(random, [4, 7]),
    randomTensor<tf.Rank.R2>(random, [4, 11]),
  );
  const loss = (...inputs: tf.Tensor[]): tf.Scalar => tf.sum(tf.mul(tf.square(run(...inputs)), target));
  await expectFiniteDifferences(loss, values, random);
});

it('gives the same bits in 12 runs', async () => {
  const random = seeded('bits');
  const joint = randomJoint(random, 'bf16', [24, 8, 8], 300, 8);
  const x = randomTensor<tf.Rank.R2>(random, [6, 300]);
  const first = await jointLinear(x, joint).data();
  for (let run = 1; run < 12; run++) expect(await jointLinear(x, joint).data()).toEqual(first);
});
