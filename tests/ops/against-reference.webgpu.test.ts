/** Kernels give what the references give, there and back, on a card and on a software adapter. */
import { openPoisoned } from '../fixtures/webgpu/poisoned';
import * as tf from '@tensorflow/tfjs-core';
import { describe, expect, it } from 'vitest';
import { openEngineForAll } from '../fixtures/engine';
import { sampled } from '../fixtures/sample';
import { asOn, BOTH_KINDS, expectClose, expectReference, onCpu, seeded } from './kernel-checks';
import {
  branchesOf,
  decoded,
  embeddingOf,
  gatheredOf,
  headsOf,
  jointOf,
  layoutOf,
  linearOf,
  logprobOf,
  lookupOf,
  normOf,
  ropeOf,
  sequencesOf,
  swigluOf,
  type Decoding,
  type Draw,
} from './op-cases';
import { randomTensor } from './random-tensors';

openEngineForAll(openPoisoned);

type Case = [name: string, draw: Draw];

/** One row, a few, and more than a workgroup has, of widths that four divides and not. */
const rowOps = [
  [1, 7],
  [3, 64],
  [131, 130],
].flatMap(([rows, width]): Case[] => [
  [`RMSNorm of ${rows} x ${width}`, normOf(rows, width)],
  [`SwiGLU of ${rows} x ${width}`, swigluOf(rows, width)],
  [`embedding of ${rows} x ${width}`, embeddingOf(rows, 150, width)],
]);

const linearCase =
  (format: 'f32' | 'bf16') =>
  ([rows, outputs, inputs]: readonly [number, number, number]): Case => [
    `product of ${rows} rows to ${outputs} of ${inputs} in ${format}`,
    linearOf(format, rows, outputs, inputs),
  ];
const [row, few, more, part, large, one] = [
  [1, 8, 16], // aligned
  [5, 7, 9],
  [33, 20, 36], // aligned, a tile and a row more
  [11, 30, 24],
  [70, 65, 131], // two tiles each way
  [2, 1, 1],
] as const;
/** The sample: every format meets the product of few rows (`gemv.wgsl.ts`) and that of tiles, and f32 the edges of large tiles on both kinds. */
const linears: Record<(typeof BOTH_KINDS)[number], Case[]> = {
  'a graphics card': [
    ...sampled([few, more, large], [row, few, more, part, large, one]).map(linearCase('f32')),
    ...sampled([row, more], [row, few, more]).map(linearCase('bf16')),
  ],
  'a software adapter': [
    ...sampled([row, few, large], [row, few, more, part, large, one]).map(linearCase('f32')),
    ...sampled([few, more], [row, few, more]).map(linearCase('bf16')),
  ],
};

const scenes: [rows: number, segments: number[], inputs: number, rank: number | null][] = [
  [1, [12, 4, 4], 16, 12],
  [5, [18, 6, 6], 7, 3],
  [33, [19, 19], 260, 6],
  [3, [20], 36, null],
  // where a graphics card shares long sums: an output of 4 x 4 blocks, and one of 32 x 16
  [33, [9, 5], 515, 6],
  [37, [255, 5], 516, 12],
  // segments of blocks of four, with a rank of none
  [35, [24, 8, 12], 20, 6],
  [6, [20], 36, 5],
];
const joints = (['f32', 'bf16'] as const).flatMap((format) =>
  scenes
    .filter((_, index) =>
      sampled(format === 'f32' ? index % 2 === 0 || index === 7 : index === 1 || index === 5, true),
    )
    .map(([rows, segments, inputs, rank]): Case => [
      `joint product of ${rows} rows to ${segments.join()} of ${inputs} in ${format}, rank ${rank}`,
      jointOf(format, rows, segments, inputs, rank),
    ]),
);

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

describe.each(BOTH_KINDS)('as on %s', (kind) => {
  asOn(kind);

  it.each([...rowOps, ...linears[kind], ...joints])('%s', (name, draw) => expectReference(name, draw));

  it.each(decodings)('decoding from prompts of $prefixLengths by heads of $headDim', async (scene) => {
    const expected = await onCpu(() => decoded(seeded('scene'), scene));
    const found = decoded(seeded('scene'), scene);
    for (const [step, output] of found.entries()) await expectClose(output, expected[step]);
  });
});

const wide = layoutOf(2, 9, [13, 6]);

it.each<Case>([
  ['gathered rows', gatheredOf([0, 2, 3, 6], 7, 6)],
  ['embedding of bf16', lookupOf(5, 9, 7)],
  ['embedding of bf16, rows of fours', lookupOf(5, 9, 8)],
  ['rotation of 5 rows, 3 heads of 8', ropeOf(5, 3, 8)],
  ['rotation of 70 rows, a head of 6', ropeOf(70, 1, 6)],
  ...[true, false].flatMap((isNormed): Case[] => [
    [`heads of one row, normed ${isNormed}`, headsOf(1, 1, 1, 2, isNormed)],
    [`heads of 7 rows, normed ${isNormed}`, headsOf(7, 3, 1, 6, isNormed)],
    [`heads of 33 rows, normed ${isNormed}`, headsOf(33, 4, 2, 16, isNormed)],
  ]),
])('%s', (name, draw) => expectReference(name, draw));

it.each<Case>([
  ['scores of a row over 5 tokens', logprobOf(1, 5, 4)],
  ['scores of 37 rows over 131 tokens', logprobOf(37, 131, 12)],
  ['scores of 9 rows over 300 tokens', logprobOf(9, 300, 33)],
  ['attention of short sequences', sequencesOf(2, 5, 2, 2, 8)],
  ['attention of a sequence of 70, three heads on one', sequencesOf(1, 70, 3, 1, 6)],
  ['attention of three sequences of 33', sequencesOf(3, 33, 6, 2, 16)],
  ['branches of one prompt', branchesOf(layoutOf(2, 3, [5]), 2, 2, 4)],
  ['branches of padded prompts, three heads on one', branchesOf(layoutOf(3, 7, [4, 11]), 3, 1, 6)],
  ['branches of rows past a workgroup', branchesOf(layoutOf(4, 19, [33, 1, 20]), 4, 2, 8)],
  ['wide heads, 4 lanes a row', branchesOf(wide, 4, 2, 64)],
  ['wide heads, 5 lanes a row, 60 a workgroup', branchesOf(wide, 4, 2, 80)],
  ['wide heads, 8 lanes a row', branchesOf(wide, 4, 2, 128)],
  ['wide heads, 3 lanes a row, 63 a workgroup', branchesOf(wide, 4, 2, 36)],
  ['wide heads, one lane where 4 does not divide it', branchesOf(wide, 4, 2, 34)],
])('%s', (name, draw) => expectReference(name, draw, 5e-5));

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
