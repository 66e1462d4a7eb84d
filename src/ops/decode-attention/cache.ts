/** What the implementations of decode attention have in common. */
import type * as tf from '@tensorflow/tfjs-core';
import type { JointProjection } from '../joint-linear';
import type { HeadNorms, HeadShape } from '../project-heads';
import type { Rotation } from '../rope';

/** Keys and values of whole prompts in one layer. */
export interface PromptKeyValues {
  /** [prompts, prefix length, kvHeads, headDim], rotated, padded on the right */
  k: tf.Tensor4D;
  v: tf.Tensor4D;
}

/** Keys and values of one layer while a batch is decoded. Each implementation adds its tensors. */
export interface KeyValueCache {
  rows: number;
  readonly kvHeads: number;
  readonly headDim: number;
  /** Limit on `filled`. */
  readonly capacity: number;
  /** Tokens appended after the prompt so far. */
  filled: number;
}

/** An implementation. Its caches are passed only to itself. */
export interface DecodeAttention {
  /** Takes ownership of `prompt` or disposes of it. */
  layOut(prompt: PromptKeyValues): PromptKeyValues;
  createCache(
    prompt: PromptKeyValues,
    prefixLengths: readonly number[],
    promptOf: readonly number[],
    capacity: number,
  ): KeyValueCache;
  /** @param x [rows, inputs] @returns [rows, heads * headDim] */
  attend(
    x: tf.Tensor2D,
    qkv: JointProjection,
    cache: KeyValueCache,
    shape: HeadShape,
    rotation: Rotation,
    norms: HeadNorms | null,
  ): tf.Tensor2D;
  compact(cache: KeyValueCache, alive: readonly number[]): void;
  dispose(cache: KeyValueCache): void;
}
