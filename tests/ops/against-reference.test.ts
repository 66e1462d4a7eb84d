/** On wasm, where ops run in the memory of tfjs's backend, they give what the references give on cpu, there and back. */
import * as tf from '@tensorflow/tfjs-core';
import { expect, it } from 'vitest';
import { createRandom, type Random } from '../../src/base/random';
import { openEngineForAll } from '../fixtures/engine';
import { expectClose, onCpu, seeded } from './kernel-checks';
import { otherCases, productCases, softmaxCases, type Case } from './cases';
import {
  branchesOf,
  decoded,
  layoutOf,
  linearOf,
  placesOf,
  sequencesOf,
  thereAndBack,
  type Draw,
} from './op-cases';

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
