/** `embedding` on wasm, in the memory of tfjs's backend. */
import type * as tf from '@tensorflow/tfjs-core';
import { countsOnly } from '../../gpu/dry/work';
import { heapAddress, heapFloats, heapTensor, heapValues } from '../../gpu/wasm-heap';
import { differentiable } from '../lib/differentiable';

/** @param ids [rows] int32 @param table [vocabulary, width] @param trainable whether gradients flow into it */
export function embeddingOnHeap(ids: tf.Tensor1D, table: tf.Tensor2D, trainable: boolean): tf.Tensor2D {
  const [, width] = table.shape;
  const rows = ids.size;
  return differentiable<tf.Tensor2D>(trainable ? [table] : [], () => {
    const taken = heapTensor<tf.Rank.R2>([rows, width]);
    const tokens = ids.dataSync<'int32'>();
    const heap = heapFloats();
    const [from, to] = [heapAddress(table) / 4, heapAddress(taken) / 4];
    for (let row = 0; row < rows; row++) {
      const [source, target] = [from + tokens[row] * width, to + row * width];
      heap.copyWithin(target, source, source + width);
    }
    return {
      value: taken,
      saved: [ids],
      gradient: (dy, [saved]) =>
        trainable ? [() => addedByToken(dy, saved.dataSync<'int32'>(), table.shape)] : [],
    };
  });
}

/** Sums of the rows of each token, in their order. */
function addedByToken(dy: tf.Tensor2D, tokens: Int32Array, shape: [number, number]): tf.Tensor2D {
  const sums = heapTensor<tf.Rank.R2>(shape);
  heapValues(sums).fill(0);
  if (countsOnly(2 * dy.size)) return sums;
  const heap = heapFloats();
  const width = shape[1];
  const [from, to] = [heapAddress(dy) / 4, heapAddress(sums) / 4];
  for (let row = 0; row < tokens.length; row++) {
    const [source, target] = [from + row * width, to + tokens[row] * width];
    for (let i = 0; i < width; i++) heap[target + i] += heap[source + i];
  }
  return sums;
}
