/**
 * Matrix product a b of the reference implementations, 2-D or batched. The gradients are da = dy bᵀ and db = aᵀ dy with
 * explicit transposes. tfjs's own gradient of `matMul` requests transposed operands. Its wasm kernel multiplies these
 * 10 to 25 times slower than matrices that are transposed beforehand, and its WebGPU kernel is wrong for some shapes.
 */
import * as tf from '@tensorflow/tfjs-core';
import { differentiable } from './differentiable';

/** Transposes the last two axes. */
export function transpose<T extends tf.Tensor>(matrix: T): T {
  return tf.transpose(matrix, matrix.rank === 2 ? [1, 0] : [0, 2, 1]);
}

/** @param a [rows, inner] or [batch, rows, inner] @param b [inner, columns] or [batch, inner, columns] */
export function product<T extends tf.Tensor2D | tf.Tensor3D>(a: T, b: T): T {
  return differentiable<T>([a, b], () => ({
    value: tf.matMul(a, b),
    saved: [a, b],
    gradient: (dy, [left, right]) => [
      () => tf.tidy(() => tf.matMul(dy, transpose(right as T))),
      () => tf.tidy(() => tf.matMul(transpose(left as T), dy)),
    ],
  }));
}

/** Column sums [columns] of [rows, columns], computed as a product because wasm reduces the first axis slowly. */
export function columnSums(matrix: tf.Tensor2D): tf.Tensor1D {
  return tf.tidy(() =>
    tf.reshape(tf.matMul(tf.ones<tf.Rank.R2>([1, matrix.shape[0]]), matrix), [matrix.shape[1]]),
  );
}
