/**
 * Attention of one new token per row over its prompt's keys and values, which all samples of that prompt share, and
 * over the row's own suffix. One softmax runs over both parts.
 *
 * Not for training: it has no gradient.
 */
import * as tf from '@tensorflow/tfjs-core';
import { expectShape } from './shape';

/** Keys and values of one layer while a batch is decoded. Rows of one prompt need not stand together. */
export interface KeyValueCache {
  /** [prompts, prefixLength, kvHeads, headDim], padded on the right */
  prefixK: tf.Tensor4D;
  prefixV: tf.Tensor4D;
  /** [prompts] int32: how many of the prefix's positions are real */
  prefixLengths: tf.Tensor1D;
  /** [rows] int32: which prompt a row belongs to */
  promptOf: tf.Tensor1D;
  /** [rows, capacity, kvHeads, headDim]; the plain twin's capacity is what is filled, null before the first token */
  suffixK: tf.Tensor4D | null;
  suffixV: tf.Tensor4D | null;
  /** Positions of the suffix that hold a token. */
  filled: number;
}

/**
 * Takes the new token's keys and values into the cache; the tensors of before are disposed of.
 *
 * @param k [rows, kvHeads, headDim], already rotated
 * @param v [rows, kvHeads, headDim]
 */
export function appendKeyValue(cache: KeyValueCache, k: tf.Tensor3D, v: tf.Tensor3D): void {
  expectShape('appendKeyValue', 'k', k, [
    cache.promptOf.shape[0],
    cache.prefixK.shape[2],
    cache.prefixK.shape[3],
  ]);
  expectShape('appendKeyValue', 'v', v, k.shape);
  const grow = (suffix: tf.Tensor4D | null, step: tf.Tensor3D): tf.Tensor4D => {
    const added = tf.expandDims(step, 1) as tf.Tensor4D;
    if (!suffix) return tf.keep(added);
    const grown = tf.concat([suffix, added], 1);
    suffix.dispose();
    return tf.keep(grown);
  };
  cache.suffixK = grow(cache.suffixK, k);
  cache.suffixV = grow(cache.suffixV, v);
  cache.filled++;
}

/**
 * @param q [rows, heads, headDim], already rotated
 * @param cache with the token's own key and value already appended
 * @returns [rows, heads, headDim]
 */
export function decodeAttention(q: tf.Tensor3D, cache: KeyValueCache): tf.Tensor3D {
  expectShape('decodeAttention', 'q', q, [cache.promptOf.shape[0], -1, cache.prefixK.shape[3]]);
  return decodeAttentionPlain(q, cache);
}

/** The plain twin. */
export function decodeAttentionPlain(q: tf.Tensor3D, cache: KeyValueCache): tf.Tensor3D {
  return tf.tidy(() => {
    const [rows, heads, headDim] = q.shape;
    const [, prefixLength, kvHeads] = cache.prefixK.shape;
    const shared = heads / kvHeads;
    const suffixK = cache.suffixK!;
    const suffixV = cache.suffixV!;
    const suffixLength = suffixK.shape[1];
    const all = (prefix: tf.Tensor4D, suffix: tf.Tensor4D, order: number[]): tf.Tensor =>
      tf.transpose(tf.concat([tf.gather(prefix, cache.promptOf), suffix], 1), order);
    const length = prefixLength + suffixLength;
    const keys = tf.reshape(all(cache.prefixK, suffixK, [0, 2, 3, 1]), [rows * kvHeads, headDim, length]);
    const values = tf.reshape(all(cache.prefixV, suffixV, [0, 2, 1, 3]), [rows * kvHeads, length, headDim]);
    const queries = tf.reshape(q, [rows * kvHeads, shared, headDim]);
    const scores = tf.mul(tf.matMul(queries, keys), 1 / Math.sqrt(headDim));
    // padding of the prefix: positions from the prompt's length to the prefix's end
    const position = tf.reshape(tf.range(0, length, 1, 'int32'), [1, length]);
    const promptLength = tf.reshape(tf.gather(cache.prefixLengths, cache.promptOf), [rows, 1]);
    const padding = tf.logicalAnd(tf.greaterEqual(position, promptLength), tf.less(position, prefixLength));
    const masked = tf.add(
      tf.reshape(scores, [rows, kvHeads * shared, length]),
      tf.reshape(tf.mul(tf.cast(padding, 'float32'), -1e9), [rows, 1, length]),
    );
    const weights = tf.reshape(tf.softmax(masked), [rows * kvHeads, shared, length]);
    return tf.reshape(tf.matMul(weights, values), [rows, heads, headDim]);
  });
}
