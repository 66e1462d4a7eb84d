import { openPoisoned } from '../../fixtures/webgpu/poisoned';
import type * as tf from '@tensorflow/tfjs-core';
import { describe, expect, it } from 'vitest';
import { jointLinear } from '../../../src/ops/joint-linear';
import type { Weight } from '../../../src/ops/lib/weight';
import { swiglu } from '../../../src/ops/swiglu';
import { gatedBoth } from '../../../src/ops/swiglu/wgsl';
import { engine, openEngineForAll } from '../../fixtures/engine';
import { sampled } from '../../fixtures/sample';
import { asOn, BOTH_KINDS, expectClose, onCpu, seeded } from '../kernel-checks';
import { randomJoint } from '../op-cases';
import { randomTensor } from '../random-tensors';

openEngineForAll(openPoisoned);

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

  it.each(
    sampled(
      GATED.filter((_, index) => index % 2 === 0),
      GATED,
    ),
  )(
    'a gated product, %s, of %i rows, twice %i outputs and %i inputs, rank %j: equals the reference, and has the bits of the product whose gate is a kernel of its own',
    async (format, rows, width, inputs, rank) => {
      const random = seeded(`gated ${format} ${rows}`);
      const gateUp = { ...randomJoint(random, format, [width, width], inputs, rank), bias: null };
      const x = randomTensor<tf.Rank.R2>(random, [rows, inputs], 0.5);
      const expected = await onCpu(() => swiglu(x, gateUp));
      const before = engine.counts().dispatches;
      const gated = swiglu(x, gateUp);
      expect(engine.counts().dispatches - before).toBe(rank === null ? 1 : 2);
      await expectClose(gated, expected);
      const apart = gatedBoth(jointLinear(x, gateUp));
      expect(Array.from(await gated.data())).toEqual(Array.from(await apart.data()));
    },
  );
});
