import { openSharedEngine } from '../../fixtures/webgpu/shared-device';
import * as tf from '@tensorflow/tfjs-core';
import { describe, expect, it } from 'vitest';
import { attentionPlain } from '../../../src/ops/attention';
import type { BranchLayout } from '../../../src/ops/attention/layout';
import { attentionFused, sharedPrefixAttentionFused } from '../../../src/ops/attention/wgsl';
import { sharedPrefixAttentionPlain } from '../../../src/ops/shared-prefix-attention';
import { expectClose, expectFiniteDifferences, poison, randomTensor, seeded } from '../kernel-checks';
import { openEngineForAll } from '../../fixtures/engine';

openEngineForAll(openSharedEngine);

type Attend = (...tensors: tf.Tensor[]) => tf.Tensor;

/** q, k, v and the result's gradient over rows of any leading shape. */
function inputsOf(rows: readonly number[], heads: number, keyHeads: number, headDim: number) {
  const random = seeded([...rows, heads, keyHeads, headDim].join());
  const tensor = (count: number): tf.Tensor => randomTensor(random, [...rows, count, headDim], 2);
  return { random, inputs: [heads, keyHeads, keyHeads].map(tensor), dy: tensor(heads) };
}

async function expectReference(
  fused: Attend,
  plain: Attend,
  { inputs, dy }: ReturnType<typeof inputsOf>,
): Promise<void> {
  poison(...inputs.map(({ shape }) => shape), dy.shape.slice(0, -1));
  const run = (attend: Attend): tf.Tensor[] => [attend(...inputs), ...tf.grads(attend)(inputs, dy)];
  const [values, expected] = [run(fused), run(plain)];
  for (const [i, value] of values.entries())
    await expectClose(value, expected[i], i === 0 ? undefined : 5e-5);
}

async function expectSameBits(attend: Attend, { inputs, dy }: ReturnType<typeof inputsOf>): Promise<void> {
  const bits = (): Promise<unknown> =>
    Promise.all(
      tf
        .grads(attend)(inputs, dy)
        .map((gradient) => gradient.data()),
    );
  const first = await bits();
  for (let again = 1; again < 12; again++) expect(await bits()).toEqual(first);
}

function layoutOf(samples: number, length: number, prefix: number, prefixLengths: number[]): BranchLayout {
  return {
    batch: samples * prefixLengths.length,
    length,
    prompts: { length: prefix, branches: { samples, prefixLengths } },
  };
}

const rowsOf = ({ batch, length, prompts }: BranchLayout): number =>
  prompts.length * prompts.branches.prefixLengths.length + batch * length;

const sequences = attentionFused as Attend;
const branches =
  (attend: typeof sharedPrefixAttentionPlain, layout: BranchLayout): Attend =>
  (...[q, k, v]) =>
    attend(q as tf.Tensor3D, k as tf.Tensor3D, v as tf.Tensor3D, layout);

it.each([
  [2, 5, 2, 2, 8],
  [1, 70, 3, 1, 6],
  [3, 33, 6, 2, 16],
])('%i sequences of %i, %i heads on %i key heads of %i: as the reference', (batch, length, ...heads) =>
  expectReference(sequences, attentionPlain as Attend, inputsOf([batch, length], ...heads)),
);

it.each([
  ['one group of two', layoutOf(2, 3, 5, [5]), 2, 2, 4],
  ['padded prompts, three heads on one', layoutOf(3, 7, 11, [4, 11]), 3, 1, 6],
  ['rows past a workgroup', layoutOf(4, 19, 33, [33, 1, 20]), 4, 2, 8],
])('branches as the reference: %s', (_name, layout, ...heads) =>
  expectReference(
    branches(sharedPrefixAttentionFused, layout),
    branches(sharedPrefixAttentionPlain, layout),
    inputsOf([rowsOf(layout)], ...heads),
  ),
);

describe('wide heads', () => {
  it.each([
    ['4 lanes a row', 64],
    ['5 lanes a row, 60 a workgroup', 80],
    ['8 lanes a row', 128],
    ['3 lanes a row, 63 a workgroup', 36],
    ['one lane where 4 does not divide it', 34],
  ])('branches as the reference: %s', async (_name, headDim) => {
    const layout = layoutOf(2, 9, 13, [13, 6]);
    await expectReference(
      branches(sharedPrefixAttentionFused, layout),
      branches(sharedPrefixAttentionPlain, layout),
      inputsOf([rowsOf(layout)], 4, 2, headDim),
    );
  });

  it('gives the same bits in 12 runs, forwards and backwards', async () => {
    const layout = layoutOf(3, 7, 9, [9, 6]);
    await expectSameBits(branches(sharedPrefixAttentionFused, layout), inputsOf([rowsOf(layout)], 4, 2, 64));
  });

  it('has the gradients of its value', async () => {
    const layout = layoutOf(2, 3, 4, [3]);
    const { random, inputs, dy } = inputsOf([rowsOf(layout)], 1, 1, 36);
    const attend = branches(sharedPrefixAttentionFused, layout);
    await expectFiniteDifferences((...tensors) => tf.sum(tf.mul(attend(...tensors), dy)), inputs, random);
  });
});

it('gives the same bits in 12 runs of narrow heads, forwards and backwards', () =>
  expectSameBits(sequences, inputsOf([2, 40], 4, 2, 8)));

it('later positions never reach earlier ones', async () => {
  const [q, k, v] = inputsOf([1, 9], 2, 1, 8).inputs;
  const late = tf.tensor4d(
    Float32Array.from({ length: v.size }, (_, i) => (i >= 5 * 8 ? 100 : 0)),
    v.shape as tf.Tensor4D['shape'],
  );
  const before = await sequences(q, k, v).data();
  const after = await sequences(q, tf.add(k, late), tf.add(v, late)).data();
  expect(after.slice(0, 5 * 2 * 8)).toEqual(before.slice(0, 5 * 2 * 8));
  expect(after.slice(5 * 2 * 8)).not.toEqual(before.slice(5 * 2 * 8));
});

it.each([
  ['sequences', sequences, [1, 6], 2, 1, 8],
  ['branches', branches(sharedPrefixAttentionFused, layoutOf(2, 3, 4, [3])), [10], 2, 1, 4],
] as const)(
  'gradients equal finite differences: %s',
  async (_name, attend, rows, heads, keyHeads, headDim) => {
    const { random, inputs, dy } = inputsOf(rows, heads, keyHeads, headDim);
    await expectFiniteDifferences((...tensors) => tf.sum(tf.mul(attend(...tensors), dy)), inputs, random);
  },
);
