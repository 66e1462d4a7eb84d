/**
 * Gathers rows of a matrix, each at most once and in ascending order: the response positions before the output head, or
 * the rows that are not padding. No row is gathered twice, so the gradient scatters every row into zeros, without
 * atomics.
 */
import * as tf from '@tensorflow/tfjs-core';
import { heapAddress, heapFloats, heapTensor, heapValues, onHeap } from '../../gpu/wasm-heap';
import { fused } from '../lib/backend-switch';
import { differentiable } from '../lib/differentiable';
import { runsOf, takeRows } from '../take-rows';
import { takeRowsFused } from '../take-rows/wgsl';

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
  const shape = [total, ...values.shape.slice(1)];
  return tf.tidy(() => {
    const width = values.size / values.shape[0];
    if (fused()) {
      const inverse = new Array<number>(total).fill(-1);
      rows.forEach((row, index) => (inverse[row] = index));
      return takeRowsFused(values, inverse);
    }
    if (!onHeap()) {
      const inverse = new Int32Array(total).fill(rows.length);
      rows.forEach((row, index) => (inverse[row] = index));
      const withZero = tf.concat([tf.reshape(values, [-1, width]), tf.zeros<tf.Rank.R2>([1, width])], 0);
      return tf.reshape(tf.gather(withZero, tf.tensor1d(inverse, 'int32')), shape);
    }
    const all = heapTensor(shape as [number]);
    heapValues(all).fill(0);
    const [from, to] = [heapAddress(values) / 4, heapAddress(all) / 4];
    const heap = heapFloats();
    for (const { first, count, at } of runsOf(rows)) {
      const start = from + at * width;
      heap.copyWithin(to + first * width, start, start + count * width);
    }
    return all;
  }) as T;
}
