/**
 * The decoder's attention on wasm, in the memory of tfjs's backend. Every row has its keys and values with room for all
 * tokens to come: a new token is written into its place, and products run over as much of the room as is filled. The
 * beginning of a prompt stands once for all of its rows, whose queries it is multiplied with at once; as much of it
 * as is whole parts of tfjs's sums, so that bits are those of the plain composition. Keys lie turned, since the columns
 * of a product's second factor lie beside each other.
 */
import * as tf from '@tensorflow/tfjs-core';
import { heapAddress, heapFloats, heapTensor, heapValues } from '../../gpu/wasm-heap';
import { multiplyOnHeap, partOf, TFJS_PART } from '../matmul/product.wasm';
import { softmaxOnHeap } from './softmax.wasm';
import { takeRows } from '../take-rows';
import type { PromptKeyValues } from './decode.wgsl';

export interface HeapKeyValueCache {
  kind: 'heap';
  rows: number;
  kvHeads: number;
  headDim: number;
  /** [rows, kvHeads, headDim, room], from position `common` on */
  keys: tf.Tensor4D;
  /** [rows, kvHeads, room, headDim], likewise */
  values: tf.Tensor4D;
  /** [prompts, kvHeads, headDim, common] */
  promptKeys: tf.Tensor4D;
  /** [prompts, kvHeads, common, headDim] */
  promptValues: tf.Tensor4D;
  /** Positions that stand once for all rows of a prompt. */
  common: number;
  promptOf: readonly number[];
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
  const [prompts, prefix, kvHeads, headDim] = k.shape;
  const rows = promptOf.length;
  // one head and row alone are no batch to tfjs, which sums them whole
  const common = rows > prompts && kvHeads > 1 ? prefix - (prefix % TFJS_PART) : 0;
  const room = prefix - common + capacity;
  const keep = (shape: [number, number, number, number]): tf.Tensor4D => tf.keep(heapTensor(shape));
  const cache: HeapKeyValueCache = {
    kind: 'heap',
    rows,
    kvHeads,
    headDim,
    keys: keep([rows, kvHeads, headDim, room]),
    values: keep([rows, kvHeads, room, headDim]),
    promptKeys: keep([prompts, kvHeads, headDim, common]),
    promptValues: keep([prompts, kvHeads, common, headDim]),
    common,
    promptOf,
    prefix,
    prefixLengths: promptOf.map((prompt) => prefixLengths[prompt]),
    filled: prefix,
  };
  const { keys, values, promptKeys, promptValues } = cache;
  const each = prefixLengths.map((_, prompt) => prompt);
  tf.tidy(() => {
    const turned = tf.transpose(k, [0, 2, 3, 1]);
    const lines = { perRow: kvHeads * headDim, size: prefix };
    copyBlocks(turned, promptKeys, { ...lines, first: 0, end: common, room: common }, each);
    copyBlocks(turned, keys, { ...lines, first: common, end: prefix, room }, promptOf);
    const byHead = tf.transpose(v, [0, 2, 1, 3]);
    const blocks = { perRow: kvHeads, size: prefix * headDim };
    const [border, end] = [common * headDim, prefix * headDim];
    copyBlocks(byHead, promptValues, { ...blocks, first: 0, end: border, room: border }, each);
    copyBlocks(byHead, values, { ...blocks, first: border, end, room: room * headDim }, promptOf);
  });
  tf.dispose([k, v]);
  return cache;
}

interface Blocks {
  perRow: number;
  /** Numbers of a block where they come from, and which of them are taken. */
  size: number;
  first: number;
  end: number;
  /** Numbers of a block where they go to, from its beginning on. */
  room: number;
}

/** Each row gets its prompt's blocks. */
function copyBlocks(
  from: tf.Tensor,
  to: tf.Tensor,
  { perRow, size, first, end, room }: Blocks,
  promptOf: readonly number[],
): void {
  const heap = heapFloats();
  const [source, target] = [heapAddress(from) / 4, heapAddress(to) / 4];
  promptOf.forEach((prompt, row) => {
    for (let block = 0; block < perRow; block++) {
      const start = source + (prompt * perRow + block) * size;
      heap.copyWithin(target + (row * perRow + block) * room, start + first, start + end);
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
  const { rows, kvHeads, headDim, filled, common } = cache;
  const heads = q.shape[1];
  const shared = heads / kvHeads;
  const room = cache.keys.shape[3];
  const batch = rows * kvHeads;
  return tf.tidy(() => {
    const scores = heapTensor<tf.Rank.R2>([rows * heads, filled]);
    const mixed = heapTensor<tf.Rank.R2>([rows, heads * headDim]);
    const [queries, weights, to] = [q, scores, mixed].map(heapAddress);
    /** Products of all rows of a prompt with what it has in common: [m, n, k] = [rows, n, k] for every head. */
    const withPrompts = (
      a: number,
      widthOfA: number,
      b: tf.Tensor4D,
      c: number,
      widthOfC: number,
      n: number,
      k: number,
    ): void => {
      if (common === 0) return;
      const sizeOfB = headDim * common;
      for (const { first, count, prompt } of runsOfPrompts(cache.promptOf)) {
        for (let head = 0; head < heads; head += shared === 1 ? heads : 1) {
          const row = first * heads + head;
          multiplyOnHeap({
            a: a + 4 * row * widthOfA,
            b: heapAddress(b) + 4 * (prompt * kvHeads + Math.floor(head / shared)) * sizeOfB,
            c: c + 4 * row * widthOfC,
            batch: shared === 1 ? heads : 1,
            m: count,
            n,
            k,
            part: TFJS_PART,
            nextA: 4 * widthOfA,
            nextB: 4 * sizeOfB,
            nextC: 4 * widthOfC,
            rowA: 4 * heads * widthOfA,
            stepA: 4,
            rowB: 4 * n,
            rowC: 4 * heads * widthOfC,
          });
        }
      }
    };
    withPrompts(queries, headDim, cache.promptKeys, weights, filled, common, headDim);
    multiplyOnHeap({
      a: queries,
      b: heapAddress(cache.keys),
      c: weights + 4 * common,
      batch,
      m: shared,
      n: filled - common,
      k: headDim,
      part: partOf(batch, headDim),
      nextA: 4 * shared * headDim,
      nextB: 4 * headDim * room,
      nextC: 4 * shared * filled,
      rowA: 4 * headDim,
      stepA: 4,
      rowB: 4 * room,
      rowC: 4 * filled,
    });
    weigh(scores, heads, cache);
    withPrompts(weights, filled, cache.promptValues, to, headDim, headDim, common);
    multiplyOnHeap({
      a: weights + 4 * common,
      b: heapAddress(cache.values),
      c: to,
      batch,
      m: shared,
      n: headDim,
      k: filled - common,
      part: partOf(batch, filled - common),
      nextA: 4 * shared * filled,
      nextB: 4 * headDim * room,
      nextC: 4 * shared * headDim,
      rowA: 4 * filled,
      stepA: 4,
      rowB: 4 * headDim,
      rowC: 4 * headDim,
      from: common === 0 ? 0 : to,
      rowFrom: 4 * headDim,
      nextFrom: 4 * shared * headDim,
    });
    return mixed;
  });
}

/** Rows of the same prompt that follow each other. */
function runsOfPrompts(promptOf: readonly number[]): { first: number; count: number; prompt: number }[] {
  const runs: { first: number; count: number; prompt: number }[] = [];
  promptOf.forEach((prompt, row) => {
    const last = runs.at(-1);
    if (last?.prompt === prompt) last.count += 1;
    else runs.push({ first: row, count: 1, prompt });
  });
  return runs;
}

function append(cache: HeapKeyValueCache, k: tf.Tensor, v: tf.Tensor): void {
  const { headDim } = cache;
  const filled = cache.filled - cache.common;
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
  cache.promptOf = alive.map((row) => cache.promptOf[row]);
  cache.rows = alive.length;
}
