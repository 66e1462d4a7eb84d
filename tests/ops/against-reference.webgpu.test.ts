/** Kernels give what the references give, there and back, on a card and on a software adapter. */
import { openPoisoned } from '../fixtures/webgpu/poisoned';
import * as tf from '@tensorflow/tfjs-core';
import { describe, expect, it } from 'vitest';
import { rowBlocks } from '../../src/ops/lib/row-blocks';
import { openEngineForAll } from '../fixtures/engine';
import {
  asOn,
  BOTH_KINDS,
  expectClose,
  expectDraws,
  expectReference,
  HEADS,
  onCpu,
  seeded,
} from './kernel-checks';
import { otherCases, productCases, softmaxCases, type Case } from './cases';
import {
  branchesOf,
  decoded,
  embeddingOf,
  jointOf,
  layoutOf,
  linearOf,
  logprobOf,
  lookupOf,
  sequencesOf,
  swigluOf,
  type Decoding,
} from './op-cases';
import { randomTensor } from './random-tensors';

openEngineForAll(openPoisoned);

const decodings: Decoding[] = [
  {
    ...{ prefixLengths: [3, 5], promptOf: [0, 0, 1], heads: 2, kvHeads: 2, headDim: 8 },
    ...{ steps: 2, alive: [2, 0], isNormed: true },
  },
  {
    ...{ prefixLengths: [70], promptOf: [0, 0], heads: 3, kvHeads: 1, headDim: 6 },
    ...{ steps: 3, alive: [1], isNormed: false },
  },
  {
    ...{ prefixLengths: [1, 290, 64], promptOf: [2, 0, 1], heads: 4, kvHeads: 2, headDim: 68 },
    ...{ steps: 2, alive: [0, 2], isNormed: true },
  },
];

/** Matrices of more than 128 rows. */
const inBlocks: Case[] = [
  ['product of a row', linearOf('bf16', 1, 431, 16)],
  ['product of 37 rows', linearOf('bf16', 37, 300, 33)],
  ['product of 70 rows', linearOf('f32', 70, 270, 9)],
  ['joint product', jointOf('bf16', 5, [200, 80, 20], 12, 3)],
  ['SwiGLU of 2 rows', swigluOf('bf16', 2, 200, 16, null)],
  ['SwiGLU of 20 rows', swigluOf('bf16', 20, 200, 16, 4)],
  ['embedding', embeddingOf(5, 300, 12)],
  ['embedding of bf16', lookupOf(5, 300, 33)],
  ['scores', logprobOf(37, 300, 12)],
];

describe.each(BOTH_KINDS)('as on %s', (kind) => {
  describe('of which each kernel binds whole matrices', () => {
    asOn(kind);

    it.each(productCases)('%s', (name, draw) => expectReference(name, draw));
    it.each(HEADS)('draws for %i rows over %i tokens', expectDraws);

    it.each(decodings)('decoding from prompts of $prefixLengths by heads of $headDim', async (scene) => {
      const expected = await onCpu(() => decoded(seeded('scene'), scene));
      const found = decoded(seeded('scene'), scene);
      for (const [step, output] of found.entries()) await expectClose(output, expected[step]);
    });
  });

  describe('of which a kernel binds blocks of rows', () => {
    asOn(kind, 1);

    it.each(inBlocks)('%s', (name, draw) => expectReference(name, draw, 5e-5));
    it.each(HEADS.slice(1))('draws for %i rows over %i tokens', expectDraws);
  });
});

it.each(otherCases)('%s', (name, draw) => expectReference(name, draw));
it.each(softmaxCases)('%s', (name, draw) => expectReference(name, draw, 5e-5));

it.each<Case>([
  ['a joint product', jointOf('bf16', 6, [24, 8, 8], 300, 8)],
  ['attention', sequencesOf(2, 40, 4, 2, 8)],
  ['wide heads', branchesOf(layoutOf(3, 7, [9, 6]), 4, 2, 64)],
])('%s has the same bits in 12 runs, there and back', async (name, draw) => {
  const random = seeded(name);
  const { op, inputs } = draw(random);
  const dy = tf.tidy(() => randomTensor(random, op(...inputs).shape));
  const bits = (): Promise<unknown> =>
    Promise.all([op(...inputs), ...tf.grads(op)(inputs, dy)].map((result) => result.data()));
  const first = await bits();
  for (let again = 1; again < 12; again++) expect(await bits()).toEqual(first);
});

it('blocks of rows are as few as possible, of like size, and begin where a binding may', () => {
  const data = { size: 6000 } as tf.Tensor;
  const matrix = { format: 'f32' as const, data, rows: 1000, columns: 6 };
  expect(rowBlocks(matrix, { maxBindingBytes: 24_000 })).toEqual([{ first: 0, count: 1000, data }]);
  const [first, second] = rowBlocks(matrix, { maxBindingBytes: 23_999 });
  expect([first.count, second.first, second.count]).toEqual([512, 512, 488]);
  expect(second.data).toMatchObject({ byteOffset: 512 * 24, byteLength: 488 * 24 });
  const least = rowBlocks({ ...matrix, format: 'bf16' }, { maxBindingBytes: 1 });
  expect(least.map(({ count }) => count)).toEqual([128, 128, 128, 128, 128, 128, 128, 104]);
});
