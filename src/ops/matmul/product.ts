/**
 * Matrix product a b of the reference implementations, 2-D or batched. tfjs's own gradient of `matMul` asks for transposed operands,
 * which its wasm kernel multiplies 10 to 25 times slower than a product of matrices turned beforehand (and which its
 * WebGPU kernel gets wrong for some shapes): da = dy bᵀ and db = aᵀ dy with explicit transposes.
 */
import * as tf from '@tensorflow/tfjs-core';
import { heapAddress, heapTensor, onHeap } from '../../gpu/wasm-heap';
import { differentiable } from '../lib/differentiable';
import { multiplyOnHeap, partOfProduct } from './product.wasm';

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

/**
 * a b, or aᵀ b. Batches on wasm are multiplied by a kernel of our own. It sums as tfjs's two kernels do: small products like
 * tfjs's for batches, large ones like its other one, which took them one by one before.
 */
function multiplied<T extends tf.Tensor2D | tf.Tensor3D>(a: T, b: T, turnA: boolean): T {
  if (a.rank === 2 || !onHeap()) return tf.tidy(() => tf.matMul(turnA ? turned(a) : a, b));
  const [batch, first, second] = (a as tf.Tensor3D).shape;
  const [m, k] = turnA ? [second, first] : [first, second];
  const n = (b as tf.Tensor3D).shape[2];
  const c = heapTensor<tf.Rank.R3>([batch, m, n]);
  multiplyOnHeap({
    a: heapAddress(a),
    b: heapAddress(b),
    c: heapAddress(c),
    batch,
    m,
    n,
    k,
    part: partOfProduct(batch, m, n, k),
    nextA: 4 * m * k,
    nextB: 4 * k * n,
    nextC: 4 * m * n,
    rowA: turnA ? 4 : 4 * k,
    stepA: turnA ? 4 * m : 4,
    rowB: 4 * n,
    rowC: 4 * n,
  });
  return c as T;
}

/** Column sums [columns] of [rows, columns], as a product: wasm sums the first axis slowly. */
export function columnSums(matrix: tf.Tensor2D): tf.Tensor1D {
  return tf.tidy(() =>
    tf.reshape(tf.matMul(tf.ones<tf.Rank.R2>([1, matrix.shape[0]]), matrix), [matrix.shape[1]]),
  );
}
