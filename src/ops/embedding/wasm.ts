/** `embedding` on wasm, in the memory of tfjs's backend. */
import type * as tf from '@tensorflow/tfjs-core';
import { heapAddress, heapFloats, heapTensor, heapValues } from '../../gpu/wasm-heap';
import { differentiable } from '../lib/differentiable';
import type { Weight } from '../lib/weight';

/** @param ids [rows] int32 @param table [vocabulary, width] */
export function embeddingWasm(ids: tf.Tensor1D, table: Weight): tf.Tensor2D {
  const { inputs: width, data, format } = table;
  const rows = ids.size;
  if (format === 'bf16') {
    const taken = heapTensor<tf.Rank.R2>([rows, width]);
    const { buffer } = heapFloats();
    if (buffer.byteLength === 0) return taken;
    const halves = new Uint16Array(buffer, heapAddress(data), table.outputs * width);
    const words = new Uint32Array(buffer, heapAddress(taken), rows * width);
    for (const [row, token] of ids.dataSync<'int32'>().entries())
      for (let i = 0; i < width; i++) words[row * width + i] = halves[token * width + i] << 16;
    return taken;
  }
  const { trainable } = table;
  return differentiable<tf.Tensor2D>(trainable ? [data] : [], () => {
    const taken = heapTensor<tf.Rank.R2>([rows, width]);
    const tokens = ids.dataSync<'int32'>();
    const heap = heapFloats();
    const [from, to] = [heapAddress(data) / 4, heapAddress(taken) / 4];
    for (let row = 0; row < rows; row++) {
      const [source, target] = [from + tokens[row] * width, to + row * width];
      heap.copyWithin(target, source, source + width);
    }
    return {
      value: taken,
      saved: [ids],
      gradient: (dy, [saved]) =>
        trainable ? [() => addedByToken(dy, saved.dataSync<'int32'>(), data.shape)] : [],
    };
  });
}

/** Sums of the rows of each token, in row order. */
function addedByToken(dy: tf.Tensor2D, tokens: Int32Array, shape: [number, number]): tf.Tensor2D {
  const sums = heapTensor<tf.Rank.R2>(shape);
  heapValues(sums).fill(0);
  const heap = heapFloats();
  const width = shape[1];
  const [from, to] = [heapAddress(dy) / 4, heapAddress(sums) / 4];
  const rows = heap.length === 0 ? 0 : tokens.length; // writes past the end of a dry heap are slow
  for (let row = 0; row < rows; row++) {
    const [source, target] = [from + row * width, to + tokens[row] * width];
    for (let i = 0; i < width; i++) heap[target + i] += heap[source + i];
  }
  return sums;
}
