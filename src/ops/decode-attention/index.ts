/**
 * Attention of one new token per row over the row's prompt, whose keys and values all samples share, and over the row's
 * own suffix including the new token. One softmax covers both.
 *
 * The op owns the cache and the steps that fill it. It normalises queries and keys per head if the architecture
 * requires it, rotates them to the token's position, and appends keys and values. The WGSL implementation does this in
 * one kernel from the joint product of q, k and v. It stores each prompt's prefix once and writes in place. The
 * wasm implementation also writes in place (wasm.ts). The op has no gradient, so it cannot be used for training.
 */
import type * as tf from '@tensorflow/tfjs-core';
import { implementations } from '../../gpu/implementations';
import type { JointProjection } from '../joint-linear';
import { expectShape } from '../lib/shape';
import { expectHeads, type HeadNorms } from '../project-heads/heads';
import type { Rotation } from '../rope';
import type { DecodeAttention, KeyValueCache, PromptKeyValues } from './cache';

const implementation = implementations<DecodeAttention>('decodeAttention', {
  wasm: async () => (await import('./wasm')).decodeAttentionWasm,
  wgsl: async () => (await import('./wgsl')).decodeAttentionWgsl,
});

export type { KeyValueCache, PromptKeyValues } from './cache';

/** Keys and values in the layout that `createKeyValueCache` expects. Takes ownership of `prompt` or disposes of it. */
export function layOutPrompts(prompt: PromptKeyValues): PromptKeyValues {
  expectShape('layOutPrompts', 'v', prompt.v, prompt.k.shape);
  return implementation.current.layOut(prompt);
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
  return implementation.current.createCache(prompt, prefixLengths, promptOf, capacity);
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
  const { rows, kvHeads, headDim, filled, capacity } = cache;
  const shape = { heads: Math.max(1, Math.floor(qkv.segments[0] / headDim)), kvHeads, headDim };
  // wasm would write the token into the memory of another tensor
  expectShape('attendNewToken', 'cache.filled', { shape: [filled] }, [Math.min(filled, capacity - 1)]);
  expectShape('attendNewToken', 'x', x, [rows, -1]);
  expectHeads('attendNewToken', x, qkv, shape, rotation, norms);
  return implementation.current.attend(x, qkv, cache, shape, rotation, norms);
}

/** Keeps the rows at `alive`, in that order. */
export function compactKeyValueCache(cache: KeyValueCache, alive: readonly number[]): void {
  implementation.current.compact(cache, alive);
}

export function disposeKeyValueCache(cache: KeyValueCache): void {
  implementation.current.dispose(cache);
}
