/**
 * Attention of one new token per row over the row's prompt, whose keys and values all samples share, and over the row's
 * own suffix including the new token. One softmax covers both.
 *
 * The op owns the cache and the steps that fill it. It normalises queries and keys per head if the architecture
 * requires it, rotates them to the token's position, and appends keys and values. The WGSL implementation does this in
 * one kernel from the joint product of q, k and v. It stores each prompt's prefix once and writes in place. The
 * reference implementation splits q, k and v, stores complete keys and values for every row in the layout of its
 * products, and concatenates new ones. The wasm implementation also writes in place (wasm.ts). The op has no gradient,
 * so it cannot be used for training.
 */
import * as tf from '@tensorflow/tfjs-core';
import {
  attendNewTokenFused,
  compactFused,
  createFusedCache,
  disposeFused,
  type FusedKeyValueCache,
  type PromptKeyValues,
} from './wgsl';
import type { HeapKeyValueCache } from './wasm';
import { attendPlain } from '../attention';
import { withHeap } from '../lib/on-heap';
import { jointLinear, type JointProjection } from '../joint-linear';
import { allowsFma } from '../lib/weight';
import type { Rotation } from '../rope';
import { expectShape } from '../lib/shape';
import { expectHeads, projectHeads, type HeadNorms } from '../project-heads';
import { fused } from '../lib/backend-switch';
import { takeRows } from '../take-rows';

export type { PromptKeyValues };

const heapOps = withHeap(() => import('./wasm'));

/** Keys and values of one layer while a batch is decoded. */
export type KeyValueCache = PlainKeyValueCache | HeapKeyValueCache | FusedKeyValueCache;

interface PlainKeyValueCache {
  kind: 'plain';
  rows: number;
  kvHeads: number;
  headDim: number;
  /** [rows, length, kvHeads, headDim]: each row's prompt and appended tokens */
  keys: tf.Tensor4D;
  values: tf.Tensor4D;
  /** [rows, 1, prefix length]: 0 on the prompt, -1e9 on its padding */
  padding: tf.Tensor3D;
}

/** Keys and values in the layout that `createKeyValueCache` expects. Takes ownership of `prompt` or disposes of it. */
export function layOutPrompts(prompt: PromptKeyValues): PromptKeyValues {
  expectShape('layOutPrompts', 'v', prompt.v, prompt.k.shape);
  return fused() ? prompt : (heapOps()?.transposePrompts(prompt) ?? prompt);
}

/**
 * Creates a cache over prompts. The caller keeps ownership of the prompts, so several caches can share them.
 *
 * @param prompt from `layOutPrompts`
 * @param prefixLengths real positions of each prompt
 * @param promptOf prompt index of each row
 * @param capacity largest number of tokens to append
 */
export function createKeyValueCache(
  prompt: PromptKeyValues,
  prefixLengths: readonly number[],
  promptOf: readonly number[],
  capacity: number,
): KeyValueCache {
  expectShape('createKeyValueCache', 'prompt.k', prompt.k, [prefixLengths.length, -1, -1, -1]);
  if (fused()) return createFusedCache(prompt, prefixLengths, promptOf, capacity);
  const create = heapOps()?.createHeapCache ?? createPlainCache;
  return create(prompt, prefixLengths, promptOf, capacity);
}

function createPlainCache(
  prompt: PromptKeyValues,
  prefixLengths: readonly number[],
  promptOf: readonly number[],
): PlainKeyValueCache {
  const [, length, kvHeads, headDim] = prompt.k.shape;
  const rows = promptOf.length;
  const padding = new Float32Array(rows * length);
  promptOf.forEach((index, row) =>
    padding.fill(-1e9, row * length + prefixLengths[index], (row + 1) * length),
  );
  return {
    kind: 'plain',
    rows,
    kvHeads,
    headDim,
    keys: tf.keep(takeRows(prompt.k, promptOf)),
    values: tf.keep(takeRows(prompt.v, promptOf)),
    padding: tf.keep(tf.tensor3d(padding, [rows, 1, length])),
  };
}

/**
 * Appends the new token to the cache and attends.
 *
 * @param x [rows, inputs]: the new token
 * @param qkv projections of its queries, keys and values
 * @param rotation for the token's position in every row: the prompt length plus the tokens appended before
 * @returns [rows, heads * headDim]
 */
export function attendNewToken(
  x: tf.Tensor2D,
  qkv: JointProjection,
  cache: KeyValueCache,
  rotation: Rotation,
  norms: HeadNorms | null,
): tf.Tensor2D {
  const { rows, kvHeads, headDim } = cache;
  const shape = { heads: Math.max(1, Math.floor(qkv.segments[0] / headDim)), kvHeads, headDim };
  expectShape('attendNewToken', 'x', x, [rows, -1]);
  expectHeads('attendNewToken', x, qkv, shape, rotation, norms);
  if (cache.kind === 'fused') return attendNewTokenFused(jointLinear(x, qkv), cache, rotation.tables, norms);
  const [q, k, v] = projectHeads(x, qkv, shape, rotation, norms);
  if (cache.kind === 'heap') return heapOps()!.attendOnHeap(q, k, v, cache, allowsFma(qkv.weight));
  append(cache, k, v);
  return attendToCache(q, cache);
}

function append(cache: PlainKeyValueCache, k: tf.Tensor3D, v: tf.Tensor3D): void {
  const grow = (held: tf.Tensor4D, step: tf.Tensor3D): tf.Tensor4D => {
    const grown = tf.tidy(() => tf.concat([held, tf.expandDims<tf.Tensor4D>(step, 1)], 1));
    held.dispose();
    return tf.keep(grown);
  };
  cache.keys = grow(cache.keys, k);
  cache.values = grow(cache.values, v);
}

/** @param q [rows, heads, headDim] @returns [rows, heads * headDim] */
function attendToCache(q: tf.Tensor3D, { rows, keys, values, padding }: PlainKeyValueCache): tf.Tensor2D {
  return tf.tidy(() => {
    const appended = keys.shape[1] - padding.shape[2];
    const mask = tf.concat([padding, tf.zeros<tf.Rank.R3>([rows, 1, appended])], 2);
    return tf.reshape(attendPlain(tf.expandDims(q, 1), keys, values, mask), [rows, -1]);
  });
}

/** Keeps the rows at `alive`, in that order. */
export function compactKeyValueCache(cache: KeyValueCache, alive: readonly number[]): void {
  if (cache.kind === 'fused') {
    compactFused(cache, alive);
    return;
  }
  if (cache.kind === 'heap') {
    heapOps()!.compactHeap(cache, alive);
    return;
  }
  const take = <T extends tf.Tensor>(tensor: T): T => {
    const taken = tf.keep(takeRows(tensor, alive));
    tensor.dispose();
    return taken;
  };
  cache.keys = take(cache.keys);
  cache.values = take(cache.values);
  cache.padding = take(cache.padding);
  cache.rows = alive.length;
}

export function disposeKeyValueCache(cache: KeyValueCache): void {
  if (cache.kind === 'fused') disposeFused(cache);
  else tf.dispose([cache.keys, cache.values]);
  if (cache.kind === 'plain') cache.padding.dispose();
}
