/**
 * Gathers rows of a matrix, each at most once and in ascending order: the response positions before the output head, or
 * the rows that are not padding. No row is gathered twice, so the gradient scatters every row into zeros, without
 * atomics.
 */
import * as tf from '@tensorflow/tfjs-core';
import { implementations } from '../../gpu/implementations';
import { differentiable } from '../lib/differentiable';
import { takeRows } from '../take-rows';

const scattering = implementations({
  reference: putRowsReference,
  wasm: async () => (await import('../take-rows/wasm')).putRowsWasm,
  wgsl: async () => (await import('../take-rows/wgsl')).putRowsWgsl,
});

/** @param x [all rows, ..] @param rows ascending indices below the number of rows @returns [selected, ..] */
export function gatherRows<T extends tf.Tensor>(x: T, rows: readonly number[]): T {
  return differentiable<T>([x], () => ({
    value: takeRows(x, rows),
    saved: [],
    gradient: (dy) => [() => putRows(dy, rows, x.shape[0])],
  }));
}

/**
 * The inverse (scatter), also differentiable: `total` entries of the first axis, zero except at `rows`. @param x
 * [selected, ..]
 */
export function spreadRows<T extends tf.Tensor>(x: T, rows: readonly number[], total: number): T {
  return differentiable<T>([x], () => ({
    value: putRows(x, rows, total),
    saved: [],
    gradient: (dy) => [() => takeRows(dy, rows)],
  }));
}

function putRows<T extends tf.Tensor>(values: T, rows: readonly number[], total: number): T {
  return tf.tidy(() => scattering.current(values, rows, total));
}

function putRowsReference<T extends tf.Tensor>(values: T, rows: readonly number[], total: number): T {
  const width = values.size / values.shape[0];
  const inverse = new Int32Array(total).fill(rows.length);
  rows.forEach((row, index) => (inverse[row] = index));
  const withZero = tf.concat([tf.reshape(values, [-1, width]), tf.zeros<tf.Rank.R2>([1, width])], 0);
  const all = tf.gather(withZero, tf.tensor1d(inverse, 'int32'));
  return tf.reshape(all, [total, ...values.shape.slice(1)]) as T;
}
