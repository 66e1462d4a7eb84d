/** Rows that are taken out of a matrix and put back, on wasm, where they are copied in its memory. */
import * as tf from '@tensorflow/tfjs-core';
import { expect, it } from 'vitest';
import { gatherRows } from '../../src/ops/gather-rows';
import { takeRows } from '../../src/ops/take-rows';
import { openEngineForAll } from '../fixtures/engine';

openEngineForAll('wasm');

const matrix = tf.tensor2d.bind(null, [
  [0, 1],
  [10, 11],
  [20, 21],
  [30, 31],
]);

it('are taken in any order, each any number of times', () => {
  const taken = takeRows(matrix(), [2, 3, 0, 0]);
  expect(taken.arraySync()).toEqual([
    [20, 21],
    [30, 31],
    [0, 1],
    [0, 1],
  ]);
});

it('keep the axes behind the first', () => {
  const taken = takeRows(tf.reshape<tf.Rank.R3>(matrix(), [2, 2, 2]), [1]);
  expect(taken.arraySync()).toEqual([
    [
      [20, 21],
      [30, 31],
    ],
  ]);
});

it('hand their gradient back to where they were, and zeros between', () => {
  const dy = tf.tensor2d([
    [1, 2],
    [3, 4],
    [5, 6],
  ]);
  const gradient = tf.grad((x) => gatherRows(x as tf.Tensor2D, [0, 2, 3]))(matrix(), dy);
  expect(gradient.arraySync()).toEqual([
    [1, 2],
    [0, 0],
    [3, 4],
    [5, 6],
  ]);
});
