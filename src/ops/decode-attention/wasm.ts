/**
 * Decoder attention on wasm, in the memory of tfjs's backend. A prompt's keys and values are stored once for all its
 * rows, and one product multiplies all their queries. Every row reserves capacity for its future tokens. A new token is
 * written in place, and products cover only the filled part. Keys are transposed, because a product expects adjacent
 * columns in its second factor.
 */
import * as tf from '@tensorflow/tfjs-core';
import { heapAddress, heapTensor } from '../../gpu/wasm-heap';
import { call, together } from '../../gpu/wasm-kernels';
import { multiplyWasm, strided } from '../matmul/wasm';
import { softmaxWasm } from '../lib/row-kernel';
import { keepRows } from '../gather';
import { allowsFma } from '../lib/weight';
import { projectHeadsWasm } from '../project-heads/wasm';
import type { DecodeAttention, KeyValueCache, PromptKeyValues } from './cache';

interface WasmKeyValueCache extends KeyValueCache {
  /** [rows, kvHeads, headDim, capacity]: tokens after the prompt */
  keys: tf.Tensor4D;
  /** [rows, kvHeads, capacity, headDim]: tokens after the prompt */
  values: tf.Tensor4D;
  /** [prompts, kvHeads, headDim, prefix] */
  promptKeys: tf.Tensor4D;
  /** [prompts, kvHeads, prefix, headDim] */
  promptValues: tf.Tensor4D;
  promptOf: readonly number[];
  /** Real positions of each prompt; the rest of `prefix` is padding. */
  prefixLengths: readonly number[];
}

export const decodeAttentionWasm: DecodeAttention = {
  layOut: transposePrompts,
  createCache,
  attend(x, qkv, cache: WasmKeyValueCache, shape, rotation, norms) {
    const [q, k, v] = projectHeadsWasm(x, qkv, shape, rotation, norms);
    append(cache, k, v);
    return attendToCache(q, cache, allowsFma(qkv.weight));
  },
  compact,
  dispose: ({ keys, values }: WasmKeyValueCache) => tf.dispose([keys, values]),
};

/** Keys as [prompts, kvHeads, headDim, prefix], values as [prompts, kvHeads, prefix, headDim]. Disposes of `prompt`. */
function transposePrompts({ k, v }: PromptKeyValues): PromptKeyValues {
  const transposed = {
    k: tf.keep(tf.transpose(k, [0, 2, 3, 1])),
    v: tf.keep(tf.transpose(v, [0, 2, 1, 3])),
  };
  tf.dispose([k, v]);
  return transposed;
}

function createCache(
  { k, v }: PromptKeyValues,
  prefixLengths: readonly number[],
  promptOf: readonly number[],
  capacity: number,
): WasmKeyValueCache {
  const [, kvHeads, headDim] = k.shape;
  const rows = promptOf.length;
  return {
    rows,
    kvHeads,
    headDim,
    capacity,
    keys: tf.keep(heapTensor([rows, kvHeads, headDim, capacity])),
    values: tf.keep(heapTensor([rows, kvHeads, capacity, headDim])),
    promptKeys: k,
    promptValues: v,
    promptOf,
    prefixLengths,
    filled: 0,
  };
}

/**
 * @param q [rows, heads, headDim]
 * @param fma whether products may use FMA
 * @returns [rows, heads * headDim]
 */
function attendToCache(q: tf.Tensor3D, cache: WasmKeyValueCache, fma: boolean): tf.Tensor2D {
  const { rows, kvHeads, headDim, capacity, filled, promptOf, prefixLengths } = cache;
  const heads = q.shape[1];
  const shared = heads / kvHeads;
  const prefix = cache.promptKeys.shape[3];
  const columns = prefix + filled;
  return tf.tidy(() => {
    const scores = heapTensor<tf.Rank.R2>([rows * heads, columns]);
    const mixed = heapTensor<tf.Rank.R2>([rows, heads * headDim]);
    const [queries, weights, to] = [q, scores, mixed].map(heapAddress);
    const runs = runsOfPrompts(promptOf);
    // Heads that share a key head are processed one after another.
    const [batch, step] = shared === 1 ? [heads, 1] : [shared, 0];
    /**
     * Multiplies the lines `a` of all rows of a prompt by the prompt's matrix `b`, for every head. `rowB` is the row
     * length of `b`.
     */
    const withPrompts = (
      [a, widthOfA]: readonly [number, number],
      [b, rowB]: readonly [tf.Tensor4D, number],
      [c, widthOfC]: readonly [number, number],
      sizes: (length: number) => readonly [n: number, k: number],
    ): void => {
      for (const { first, count, prompt } of runs) {
        for (let head = 0; head < heads; head += batch) {
          const line = first * heads + head;
          const matrix = (prompt * kvHeads + head / shared) * headDim * prefix;
          multiplyWasm(
            strided(a + 4 * line * widthOfA, heads * widthOfA, widthOfA),
            strided(heapAddress(b) + 4 * matrix, rowB, step * headDim * prefix),
            strided(c + 4 * line * widthOfC, heads * widthOfC, widthOfC),
            [count, ...sizes(prefixLengths[prompt])],
            { batch, fma },
          );
        }
      }
    };
    const own = { batch: rows * kvHeads, fma };
    const ownWeights = strided(weights + 4 * prefix, columns, shared * columns);
    together(() => {
      withPrompts([queries, headDim], [cache.promptKeys, prefix], [weights, columns], (length) => [
        length,
        headDim,
      ]);
      multiplyWasm(
        strided(queries, headDim, shared * headDim),
        strided(heapAddress(cache.keys), capacity, headDim * capacity),
        ownWeights,
        [shared, filled, headDim],
        own,
      );
    });
    together(() => {
      for (const { first, count, prompt } of runs) {
        softmaxWasm({
          ...{ address: weights + 4 * first * heads * columns, rows: count, heads, columns },
          ...{ first: prefixLengths[prompt], second: prefix, end: columns, growth: 0 },
          scale: 1 / Math.sqrt(headDim),
        });
      }
    });
    together(() =>
      withPrompts([weights, columns], [cache.promptValues, headDim], [to, headDim], (length) => [
        headDim,
        length,
      ]),
    );
    multiplyWasm(
      ownWeights,
      strided(heapAddress(cache.values), headDim, headDim * capacity),
      strided(to, headDim, shared * headDim),
      [shared, headDim, filled],
      { ...own, from: [to, 4 * headDim] },
    );
    return mixed;
  });
}

/** Consecutive rows of the same prompt. */
function runsOfPrompts(promptOf: readonly number[]): { first: number; count: number; prompt: number }[] {
  const runs: { first: number; count: number; prompt: number }[] = [];
  promptOf.forEach((prompt, row) => {
    const last = runs.at(-1);
    if (last?.prompt === prompt) last.count += 1;
    else runs.push({ first: row, count: 1, prompt });
  });
  return runs;
}

function append(cache: WasmKeyValueCache, k: tf.Tensor, v: tf.Tensor): void {
  const { rows, kvHeads, headDim, capacity, filled } = cache;
  const [head, line] = [4 * headDim, 4 * headDim * capacity];
  const [key, value, keys, values] = [k, v, cache.keys, cache.values].map(heapAddress);
  // prettier-ignore
  call('appendKeysAndValues', [rows * kvHeads, headDim, key, head, value, head, keys, line, values, line, capacity, filled]);
  cache.filled += 1;
}

function compact(cache: WasmKeyValueCache, alive: readonly number[]): void {
  cache.keys = keepRows(cache.keys, alive);
  cache.values = keepRows(cache.values, alive);
  cache.promptOf = alive.map((row) => cache.promptOf[row]);
  cache.rows = alive.length;
}
