/**
 * Matrix product a b of the reference implementations, 2-D or batched. tfjs's own gradient of `matMul` asks for transposed operands,
 * which its wasm kernel multiplies 10 to 25 times slower than a product of matrices turned beforehand (and which its
 * WebGPU kernel gets wrong for some shapes): da = dy bᵀ and db = aᵀ dy with explicit transposes.
 */
import * as tf from '@tensorflow/tfjs-core';
import { differentiable } from '../lib/differentiable';
import { withHeap } from '../lib/on-heap';

const heapOps = withHeap(() => import('./product.heap'));

/** Last two axes exchanged. */
export function turned<T extends tf.Tensor>(matrix: T): T {
  return tf.transpose(matrix, matrix.rank === 2 ? [1, 0] : [0, 2, 1]);
}

/** @param a [rows, inner] or [batch, rows, inner] @param b [inner, columns] or [batch, inner, columns] */
export function product<T extends tf.Tensor2D | tf.Tensor3D>(a: T, b: T): T {
  return differentiable<T>([a, b], () => ({
    value: multiplied(a, b, false),
    saved: [a, b],
    gradient: (dy, [left, right]) => [
      () => multiplied(dy, turned(right as T), false),
      () => multiplied(left as T, dy, true),
    ],
  }));
}

/** a b, or aᵀ b. */
function multiplied<T extends tf.Tensor2D | tf.Tensor3D>(a: T, b: T, turnA: boolean): T {
  const heap = heapOps();
  if (a.rank === 3 && heap) return heap.multiplyBatchOnHeap(a as tf.Tensor3D, b as tf.Tensor3D, turnA) as T;
  return tf.tidy(() => tf.matMul(turnA ? turned(a) : a, b));
}

/** Column sums [columns] of [rows, columns], as a product: wasm sums the first axis slowly. */
export function columnSums(matrix: tf.Tensor2D): tf.Tensor1D {
  return tf.tidy(() =>
    tf.reshape(tf.matMul(tf.ones<tf.Rank.R2>([1, matrix.shape[0]]), matrix), [matrix.shape[1]]),
  );
}
