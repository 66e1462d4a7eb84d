import type * as tf from '@tensorflow/tfjs-core';
import { heapAddress, heapTensor } from '../../gpu/wasm-heap';
import { multiplyOnHeap, partOfProduct } from './product.wasm';

/**
 * a b, or aᵀ b, of batches. It sums as tfjs's two kernels do: small products like tfjs's for batches, large ones like its
 * other one, which took them one by one before.
 */
export function multiplyBatchOnHeap(a: tf.Tensor3D, b: tf.Tensor3D, turnA: boolean): tf.Tensor3D {
  const [batch, first, second] = a.shape;
  const [m, k] = turnA ? [second, first] : [first, second];
  const n = b.shape[2];
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
  return c;
}
