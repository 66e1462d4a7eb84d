import '../../fixtures/node-webgpu';
import * as tf from '@tensorflow/tfjs-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Engine } from '../../../src/gpu/engine';
import { openEngine } from '../../../src/gpu/engine';
import { sharedPrefixAttentionPlain, type BranchLayout } from '../../../src/ops/shared-prefix-attention';
import { sharedPrefixAttentionFused } from '../../../src/ops/shared-prefix-attention/wgsl';
import { expectClose, expectFiniteDifferences, poison, randomTensor, seeded } from '../kernel-checks';

let engine: Engine;
beforeAll(async () => {
  engine = await openEngine({ backend: 'webgpu' });
});
afterAll(() => engine.dispose());

function layoutOf(samples: number, length: number, prefix: number, prefixLengths: number[]): BranchLayout {
  return {
    batch: samples * prefixLengths.length,
    length,
    prompts: { length: prefix, branches: { samples, prefixLengths } },
  };
}

function inputsFor(
  { batch, length, prompts }: BranchLayout,
  heads: number,
  keyHeads: number,
  headDim: number,
) {
  const rows = prompts.length * prompts.branches.prefixLengths.length + batch * length;
  const random = seeded(`${rows} ${heads} ${keyHeads} ${headDim}`);
  const tensor = (count: number): tf.Tensor3D => randomTensor<tf.Rank.R3>(random, [rows, count, headDim], 2);
  return { random, inputs: [tensor(heads), tensor(keyHeads), tensor(keyHeads)], dy: tensor(heads) };
}

type Attend = (q: tf.Tensor3D, k: tf.Tensor3D, v: tf.Tensor3D, layout: BranchLayout) => tf.Tensor3D;

it.each([
  ['one group of two', layoutOf(2, 3, 5, [5]), 2, 2, 4],
  ['padded prompts, three heads on one', layoutOf(3, 7, 11, [4, 11]), 3, 1, 6],
  ['rows past a workgroup', layoutOf(4, 19, 33, [33, 1, 20]), 4, 2, 8],
])(
  'equals its reference implementation, on poisoned memory: %s',
  async (_name, layout, heads, keyHeads, headDim) => {
    const { inputs, dy } = inputsFor(layout, heads, keyHeads, headDim);
    poison(...inputs.map(({ shape }) => shape), [dy.shape[0], heads]);
    const run = (attend: Attend) => {
      const apply = (...[q, k, v]: tf.Tensor[]): tf.Tensor3D =>
        attend(q as tf.Tensor3D, k as tf.Tensor3D, v as tf.Tensor3D, layout);
      return {
        value: apply(...inputs),
        gradients: tf.grads((...args: tf.Tensor[]) => apply(...args))(inputs, dy),
      };
    };
    const [fused, plain] = [run(sharedPrefixAttentionFused), run(sharedPrefixAttentionPlain)];
    await expectClose(fused.value, plain.value);
    for (let i = 0; i < 3; i++) await expectClose(fused.gradients[i], plain.gradients[i], 5e-5);
  },
);

it('has the gradients of its value', async () => {
  const layout = layoutOf(2, 3, 4, [3]);
  const { random, inputs, dy } = inputsFor(layout, 2, 1, 4);
  await expectFiniteDifferences(
    (...[q, k, v]) =>
      tf.sum(
        tf.mul(sharedPrefixAttentionFused(q as tf.Tensor3D, k as tf.Tensor3D, v as tf.Tensor3D, layout), dy),
      ),
    inputs,
    random,
  );
});

it('gives the same bits in 12 runs, backwards too', async () => {
  const layout = layoutOf(3, 7, 9, [9, 6]);
  const { inputs, dy } = inputsFor(layout, 4, 2, 8);
  const run = async (): Promise<string> => {
    const gradients = tf.grads((...[q, k, v]: tf.Tensor[]) =>
      sharedPrefixAttentionFused(q as tf.Tensor3D, k as tf.Tensor3D, v as tf.Tensor3D, layout),
    )(inputs, dy);
    const values = await Promise.all(gradients.map(async (gradient) => (await gradient.data()).join()));
    return values.join();
  };
  const first = await run();
  for (let again = 1; again < 12; again++) expect(await run()).toBe(first);
});
