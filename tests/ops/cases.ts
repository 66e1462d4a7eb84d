/** Cases of all ops, for the tests on wasm, those on WebGPU and `npm run matrix`. */
import {
  branchesOf,
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
  type Draw,
} from './op-cases';

export type Case = [name: string, draw: Draw];

const joint: Parameters<typeof jointOf>[] = [
  ['f32', 1, [12, 4, 4], 16, 12],
  ['bf16', 5, [18, 6, 6], 7, 3],
  ['f32', 33, [19, 19], 260, 6],
  ['f32', 9, [6, 5, 8], 10, null],
  // where a graphics card shares long sums: an output of 4 x 4 blocks, and one of 32 x 16
  ['f32', 33, [9, 5], 515, 6],
  ['bf16', 37, [255, 5], 516, 12],
  // segments of blocks of four, with a rank of none
  ['f32', 35, [24, 8, 12], 20, 6],
  ['f32', 6, [20], 36, 5],
];

/** One row, a few, and more than a workgroup has, of widths that four divides and not. */
const sizes = [
  [1, 7],
  [3, 64],
  [131, 130],
] as const;

/** Products with the steps around them, whose kernels differ between a graphics card and a software adapter. */
export const productCases: Case[] = [
  ...sizes.flatMap(([rows, width]): Case[] => [
    [`RMSNorm of ${rows} x ${width}`, normOf(rows, width)],
    [`embedding of ${rows} x ${width}`, embeddingOf(rows, 150, width)],
  ]),
  ['product of a row', linearOf('f32', 1, 70, 40)],
  ['product of a few rows', linearOf('f32', 5, 7, 9)],
  ['product of a few rows, adding a bias', linearOf('f32', 5, 7, 9, 'bias')],
  ['product of two tiles each way, adding nothing', linearOf('f32', 70, 65, 131, 'nothing')],
  ...(['f32', 'bf16'] as const).flatMap((format): Case[] => [
    [`product of a row of fours in ${format}`, linearOf(format, 1, 8, 16)],
    [`product of a tile and a row more in ${format}`, linearOf(format, 33, 20, 36)],
  ]),
  ...joint.map(([format, rows, segments, inputs, rank]): Case => [
    `joint product of ${rows} rows to ${segments.join()} of ${inputs} in ${format}, rank ${rank}`,
    jointOf(format, rows, segments, inputs, rank),
  ]),
  // a shared sum of one row, an odd number of pairs, tiles of few and of many rows, and blocks of 4 x 4 and 32 x 16
  ['SwiGLU of a row', swigluOf('f32', 1, 6, 16, 8)],
  ['SwiGLU of 5 rows', swigluOf('f32', 5, 19, 7, 6)],
  ['SwiGLU of 16 rows', swigluOf('bf16', 16, 9, 260, null)],
  ['SwiGLU of 33 rows', swigluOf('bf16', 33, 5, 515, 6)],
  ['SwiGLU of 37 rows', swigluOf('bf16', 37, 130, 516, 8)],
];

const wide = layoutOf(2, 9, [13, 6]);

/** Ops with one kernel for all adapters. */
export const otherCases: Case[] = [
  ['gathered rows', gatheredOf([0, 2, 3, 6], 7, 6)],
  ['embedding of bf16', lookupOf(5, 9, 7)],
  ['embedding of bf16, rows of fours', lookupOf(5, 9, 8)],
  ['rotation of 5 rows, 3 heads of 8', ropeOf(5, 3, 8)],
  ['rotation of 70 rows, a head of 6', ropeOf(70, 1, 6)],
  ['rotation of 2 heads of 34', ropeOf(4, 2, 34)],
  ['heads of one row', headsOf(1, 1, 1, 2, false)],
  ['heads of 33 rows', headsOf(33, 4, 2, 16, false)],
  ['heads that are normed', headsOf(7, 3, 1, 6, true)],
];

/** Ops with a softmax. */
export const softmaxCases: Case[] = [
  ['scores of a row over 5 tokens', logprobOf(1, 5, 4)],
  ['scores of 37 rows over 131 tokens', logprobOf(37, 131, 12)],
  ['scores of 9 rows over 300 tokens at temperature 1', logprobOf(9, 300, 33, 1)],
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
];
