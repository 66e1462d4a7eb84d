/** The reference implementation of decode attention. It concatenates each new token's key and value. */
import * as tf from '@tensorflow/tfjs-core';
import { attendReference } from '../attention';
import { projectHeads } from '../project-heads';
import { gather, keepRows } from '../gather';
import type { DecodeAttention, KeyValueCache, PromptKeyValues } from './cache';

export interface ReferenceKeyValueCache extends KeyValueCache {
  /** [rows, length, kvHeads, headDim]: each row's prompt and appended tokens */
  keys: tf.Tensor4D;
  values: tf.Tensor4D;
  /** [rows, 1, prefix length]: 0 on the prompt, -1e9 on its padding */
  padding: tf.Tensor3D;
}

export const decodeAttentionReference: DecodeAttention = {
  layOut: (prompt) => prompt,
  createCache,
  attend(x, qkv, cache: ReferenceKeyValueCache, shape, rotation, norms) {
    const [q, k, v] = projectHeads(x, qkv, shape, rotation, norms);
    append(cache, k, v);
    return attendToCache(q, cache);
  },
  compact,
  dispose: ({ keys, values, padding }: ReferenceKeyValueCache) => tf.dispose([keys, values, padding]),
};

function createCache(
  prompt: PromptKeyValues,
  prefixLengths: readonly number[],
  promptOf: readonly number[],
): ReferenceKeyValueCache {
  const [, length, kvHeads, headDim] = prompt.k.shape;
  const rows = promptOf.length;
  const padding = new Float32Array(rows * length);
  promptOf.forEach((index, row) =>
    padding.fill(-1e9, row * length + prefixLengths[index], (row + 1) * length),
  );
  return {
    rows,
    kvHeads,
    headDim,
    keys: tf.keep(gather(prompt.k, promptOf)),
    values: tf.keep(gather(prompt.v, promptOf)),
    padding: tf.keep(tf.tensor3d(padding, [rows, 1, length])),
    filled: 0,
  };
}

function append(cache: ReferenceKeyValueCache, k: tf.Tensor3D, v: tf.Tensor3D): void {
  const grow = (held: tf.Tensor4D, step: tf.Tensor3D): tf.Tensor4D => {
    const grown = tf.tidy(() => tf.concat([held, tf.expandDims<tf.Tensor4D>(step, 1)], 1));
    held.dispose();
    return tf.keep(grown);
  };
  cache.keys = grow(cache.keys, k);
  cache.values = grow(cache.values, v);
  cache.filled += 1;
}

/** @param q [rows, heads, headDim] @returns [rows, heads * headDim] */
function attendToCache(
  q: tf.Tensor3D,
  { rows, keys, values, padding, filled }: ReferenceKeyValueCache,
): tf.Tensor2D {
  return tf.tidy(() => {
    const mask = tf.concat([padding, tf.zeros<tf.Rank.R3>([rows, 1, filled])], 2);
    return tf.reshape(attendReference(tf.expandDims(q, 1), keys, values, mask), [rows, -1]);
  });
}

function compact(cache: ReferenceKeyValueCache, alive: readonly number[]): void {
  cache.keys = keepRows(cache.keys, alive);
  cache.values = keepRows(cache.values, alive);
  cache.padding = keepRows(cache.padding, alive);
  cache.rows = alive.length;
}
