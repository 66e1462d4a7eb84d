/** On wasm, where ops run in the memory of tfjs's backend, they give what the references give on cpu, there and back. */
import * as tf from '@tensorflow/tfjs-core';
import { expect, it } from 'vitest';
import { createRandom, type Random } from '../../src/base/random';
import { jointLinear } from '../../src/ops/joint-linear';
import { linearPartsWasm } from '../../src/ops/joint-linear/wasm';
import { rope, ropeTables, rotaryFrequencies, rotationAt } from '../../src/ops/rope';
import { openEngineForAll } from '../fixtures/engine';
import { expectClose, onCpu, seeded } from './kernel-checks';
import { otherCases, productCases, softmaxCases, type Case } from './cases';
import {
  branchesOf,
  decoded,
  joined,
  jointOf,
  layoutOf,
  linearOf,
  placesOf,
  sequencesOf,
  thereAndBack,
  type Draw,
} from './op-cases';
import { f32Weight, randomTensor } from './random-tensors';

openEngineForAll('wasm');

/** Numbers of very different sizes, zeros among them. */
function uneven(seed: number): Random {
  const random = createRandom(seed);
  let drawn = 0;
  const number = (): number => {
    const i = drawn++;
    return i % 17 === 5 ? 0 : Math.sin(seed + 1.7 * i) * 10 ** (3 * Math.cos(seed * i));
  };
  return { ...random, uniform: () => (1 + number()) / 2 };
}

/** Sums may run in another order: errors are measured by the largest number of each result. */
async function expectReference(draw: Draw, randomOf: () => Random, tolerance: number): Promise<void> {
  const results = (): tf.Tensor[] => {
    const random = randomOf();
    const made = draw(random);
    const before = tf.memory().numTensors;
    const found = thereAndBack(made, random);
    expect(tf.memory().numTensors - before).toBe(found.length);
    return found;
  };
  const expected = await onCpu(results);
  for (const [i, result] of results().entries()) await expectClose(result, expected[i], tolerance);
}

it.each([...productCases, ...otherCases])('%s', (_, draw) => expectReference(draw, () => uneven(0.3), 4e-6));

const padded = [
  ['short', 5, 4],
  ['of some vectors', 53, 61],
  ['long', 110, 140],
] as const;

it.each<Case>([
  ...softmaxCases,
  ['a product with sums in runs, adding a bias', linearOf('f32', 1100, 40, 5, 'bias')],
  ['a product with sums in runs, adding a residual', linearOf('f32', 1100, 40, 5, 'residual')],
  ['attention of sequences with FMA', sequencesOf(3, 33, 6, 2, 16, true)],
  ['attention of branches with FMA', branchesOf(layoutOf(3, 7, [5, 2]), 4, 2, 4, undefined, true)],
  ...padded.map(([name, length, prefix]): Case => {
    const layout = layoutOf(3, length, [prefix, prefix - 2]);
    const places = placesOf(layout, [length, 1, length - 1, length >> 1, length, 2]);
    return [`attention of branches that are ${name}, without padding`, branchesOf(layout, 4, 2, 8, places)];
  }),
])('%s', (name, draw) => expectReference(draw, () => seeded(name), 4e-6));

it.each([
  [5, 2],
  [60, 2],
  [97, 2],
  [60, 4],
  [60, 1],
])('a new token attends to its prompt of %i tokens, with %i heads of keys', async (longest, kvHeads) => {
  const scene = {
    ...{ prefixLengths: [longest, longest - 2], promptOf: [0, 0, 1, 1], heads: 4, kvHeads, headDim: 4 },
    ...{ steps: 2, alive: [0, 2, 3], isNormed: kvHeads > 2 },
  };
  const expected = await onCpu(() => decoded(seeded('scene'), scene));
  const before = tf.memory().numTensors;
  const found = decoded(seeded('scene'), scene);
  expect(tf.memory().numTensors - before).toBe(found.length);
  for (const [step, output] of found.entries()) await expectClose(output, expected[step], 4e-6);
});

const last = <T extends tf.Tensor>(x: T, first: number): T =>
  tf.slice(x, [first, ...x.shape.slice(1).map(() => 0)] as [number]);

/** Ops on a part of the rows (`isPart`), or on all rows with the part sliced afterwards. */
const partly: [string, (isPart: boolean) => Draw][] = [
  [
    'rotation of the last rows of a batch',
    (isPart) => (random) => {
      const rotation = rotationAt(ropeTables(16, rotaryFrequencies(6, 100)), Int32Array.of(3, 0, 15, 4));
      const rotated = (x: tf.Tensor): tf.Tensor => rope(x as tf.Tensor3D, rotation);
      return {
        op: (x) => (isPart ? rotated(last(x, 2)) : last(rotated(x), 2)),
        inputs: [randomTensor(random, [4, 3, 6])],
      };
    },
  ],
  ...[null, 3].map((rank): [string, (isPart: boolean) => Draw] => [
    `joint projections of which the first leaves rows out, rank ${rank}`,
    (isPart) =>
      jointOf('f32', 9, [6, 5, 8], 10, rank, (x, joint) => {
        const [first, ...others] = linearPartsWasm(x, joint, undefined, isPart ? 4 : undefined);
        return joined([isPart ? first : last(first, 4), ...others]);
      }),
  ]),
  [
    'the last rows of a longer residual',
    (isPart) => (random) => ({
      op: (x, data, longer) => {
        const joint = {
          segments: [5],
          weight: f32Weight(data as tf.Tensor2D, true),
          bias: null,
          adapter: null,
        };
        const residual = longer as tf.Tensor2D;
        return jointLinear(x as tf.Tensor2D, joint, isPart ? residual : last(residual, 3));
      },
      inputs: [
        [6, 4],
        [5, 4],
        [9, 5],
      ].map((shape) => randomTensor(random, shape)),
    }),
  ],
  [
    'branches alone, which attend as they do beside their prompts',
    (isPart) => (random) => {
      const layout = layoutOf(3, 7, [5, 2]);
      const places = placesOf(layout, [7, 7, 7, 7, 7, 7]);
      const { op: attend, inputs } = branchesOf(layout, 4, 2, 4, places)(random);
      return {
        op: (q, ...rest) => (isPart ? attend(last(q, 7), ...rest) : last(attend(q, ...rest), 7)),
        inputs,
      };
    },
  ],
];

it.each(partly)('%s', async (name, draw) => {
  const [part, whole] = [true, false].map((isPart) => {
    const random = seeded(name);
    return thereAndBack(draw(isPart)(random), random);
  });
  for (const [i, result] of part.entries()) await expectClose(result, whole[i], 1e-9);
});
