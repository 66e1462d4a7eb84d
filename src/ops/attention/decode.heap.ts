/**
 * The decoder's attention on wasm, in the memory of tfjs's backend. Every row's keys and values stand whole, with room for all
 * tokens to come: a new token is written into its place, and products run over as much of the room as is filled. Keys lie
 * turned, since the columns of a product's second factor lie beside each other. Bits are those of the plain composition.
 */
import * as tf from '@tensorflow/tfjs-core';
import { heapAddress, heapFloats, heapTensor, heapValues } from '../../gpu/wasm-heap';
import { multiplyOnHeap, partOf } from '../matmul/product.wasm';
import { softmaxOnHeap } from './softmax.wasm';
import { takeRows } from '../take-rows';
import type { PromptKeyValues } from './decode.wgsl';

export interface HeapKeyValueCache {
  kind: 'heap';
  rows: number;
  kvHeads: number;
  headDim: number;
  /** [rows, kvHeads, headDim, room] */
  keys: tf.Tensor4D;
  /** [rows, kvHeads, room, headDim] */
  values: tf.Tensor4D;
  /** Positions of the prompts, padding included. */
  prefix: number;
  /** Real positions of each row's prompt. */
  prefixLengths: number[];
  /** Positions that the prompt and the tokens after it take so far. */
  filled: number;
}

/** Disposes of `prompt`. Parameters as of `createKeyValueCache`. */
export function createHeapCache(
  { k, v }: PromptKeyValues,
  prefixLengths: readonly number[],
  promptOf: readonly number[],
  capacity: number,
): HeapKeyValueCache {
  const [, prefix, kvHeads, headDim] = k.shape;
  const rows = promptOf.length;
  const room = prefix + capacity;
  const keys = tf.keep(heapTensor<tf.Rank.R4>([rows, kvHeads, headDim, room]));
  const values = tf.keep(heapTensor<tf.Rank.R4>([rows, kvHeads, room, headDim]));
  tf.tidy(() => {
    copyBlocks(
      tf.transpose(k, [0, 2, 3, 1]),
      keys,
      { perRow: kvHeads * headDim, size: prefix, room },
      promptOf,
    );
    const width = headDim;
    copyBlocks(
      tf.transpose(v, [0, 2, 1, 3]),
      values,
      { perRow: kvHeads, size: prefix * width, room: room * width },
      promptOf,
    );
  });
  tf.dispose([k, v]);
  return {
    kind: 'heap',
    rows,
    kvHeads,
    headDim,
    keys,
    values,
    prefix,
    prefixLengths: promptOf.map((prompt) => prefixLengths[prompt]),
    filled: prefix,
  };
}

/** Each row gets its prompt's blocks of `size` numbers, to the beginnings of blocks of `room`. */
function copyBlocks(
  from: tf.Tensor,
  to: tf.Tensor,
  { perRow, size, room }: { perRow: number; size: number; room: number },
  promptOf: readonly number[],
): void {
  const heap = heapFloats();
  const [source, target] = [heapAddress(from) / 4, heapAddress(to) / 4];
  promptOf.forEach((prompt, row) => {
    for (let block = 0; block < perRow; block++) {
      const start = source + (prompt * perRow + block) * size;
      heap.copyWithin(target + (row * perRow + block) * room, start, start + size);
    }
  });
}

/** @param q [rows, heads, headDim] @param k, v [rows, kvHeads, headDim]: of the new token @returns [rows, heads * headDim] */
export function attendOnHeap(
  q: tf.Tensor3D,
  k: tf.Tensor3D,
  v: tf.Tensor3D,
  cache: HeapKeyValueCache,
): tf.Tensor2D {
  append(cache, k, v);
  const { rows, kvHeads, headDim, filled } = cache;
  const heads = q.shape[1];
  const shared = heads / kvHeads;
  const room = cache.keys.shape[3];
  const batch = rows * kvHeads;
  return tf.tidy(() => {
    const scores = heapTensor<tf.Rank.R2>([rows * heads, filled]);
    multiplyOnHeap({
      ...{ a: heapAddress(q), b: heapAddress(cache.keys), c: heapAddress(scores) },
      ...{ batch, m: shared, n: filled, k: headDim, part: partOf(batch, headDim) },
      ...{ nextA: 4 * shared * headDim, nextB: 4 * headDim * room, nextC: 4 * shared * filled },
      ...{ rowA: 4 * headDim, stepA: 4, rowB: 4 * room, rowC: 4 * filled },
    });
    weigh(scores, heads, cache);
    const mixed = heapTensor<tf.Rank.R2>([rows, heads * headDim]);
    multiplyOnHeap({
      ...{ a: heapAddress(scores), b: heapAddress(cache.values), c: heapAddress(mixed) },
      ...{ batch, m: shared, n: headDim, k: filled, part: partOf(batch, filled) },
      ...{ nextA: 4 * shared * filled, nextB: 4 * headDim * room, nextC: 4 * shared * headDim },
      ...{ rowA: 4 * filled, stepA: 4, rowB: 4 * headDim, rowC: 4 * headDim },
    });
    return mixed;
  });
}

function append(cache: HeapKeyValueCache, k: tf.Tensor, v: tf.Tensor): void {
  const { headDim, filled } = cache;
  const room = cache.keys.shape[3];
  const [keys, values, newKeys, newValues] = [cache.keys, cache.values, k, v].map(heapValues);
  for (let head = 0; head < newKeys.length; head += headDim) {
    for (let d = 0; d < headDim; d++) {
      keys[(head + d) * room + filled] = newKeys[head + d];
      values[head * room + filled * headDim + d] = newValues[head + d];
    }
  }
  cache.filled += 1;
}

/** Softmax of the scaled scores, [rows * heads, filled], in place, without the padding of prompts. */
function weigh(
  scores: tf.Tensor2D,
  heads: number,
  { headDim, prefix, prefixLengths, filled }: HeapKeyValueCache,
): void {
  const scale = 1 / Math.sqrt(headDim);
  const start = heapAddress(scores);
  for (let row = 0; row < prefixLengths.length;) {
    const first = prefixLengths[row];
    let end = row + 1;
    while (prefixLengths[end] === first) end++;
    softmaxOnHeap({
      address: start + 4 * row * heads * filled,
      rows: end - row,
      heads,
      columns: filled,
      first,
      second: prefix,
      end: filled,
      growth: 0,
      scale,
    });
    row = end;
  }
}

/** Keeps the rows at `alive`, in that order. */
export function compactHeap(cache: HeapKeyValueCache, alive: readonly number[]): void {
  const take = (tensor: tf.Tensor4D): tf.Tensor4D => {
    const taken = tf.keep(takeRows(tensor, alive));
    tensor.dispose();
    return taken;
  };
  cache.keys = take(cache.keys);
  cache.values = take(cache.values);
  cache.prefixLengths = alive.map((row) => cache.prefixLengths[row]);
  cache.rows = alive.length;
}
