/**
 * Causal attention with grouped key/value heads (GQA), for training and prefill. Every sequence starts at position 0
 * and is padded on the right, so the causal mask alone keeps padding out of real rows.
 *
 * o = softmax(q kᵀ / sqrt(headDim) + causal) v. The WGSL kernel never stores the [heads, T, T] scores. Its backward
 * pass recomputes them from the log-sum-exp of each row (Dao et al. 2022). The reference implementation composes tfjs
 * ops.
 */
import * as tf from '@tensorflow/tfjs-core';
import { implementations } from '../../gpu/implementations';
import { product } from '../lib/product';
import { expectShape, multipleOf } from '../lib/shape';

const implementation = implementations<typeof attention>({
  reference: attentionReference,
  wasm: async () => (await import('./wasm')).attendSequencesWasm,
  wgsl: async () => (await import('./wgsl')).attentionWgsl,
});

/**
 * @param q [batch, T, heads, headDim], already rotated
 * @param k [batch, T, kvHeads, headDim], already rotated; kvHeads divides heads
 * @param v [batch, T, kvHeads, headDim]
 * @param fma on wasm: `allowsFma` of the weights that q, k and v come from
 * @returns [batch, T, heads, headDim]
 */
export function attention(q: tf.Tensor4D, k: tf.Tensor4D, v: tf.Tensor4D, fma = false): tf.Tensor4D {
  expectShape('attention', 'q', q, [-1, -1, -1, -1]);
  const [batch, length, heads, headDim] = q.shape;
  expectShape('attention', 'k', k, [batch, length, -1, headDim]);
  expectShape('attention', 'v', v, k.shape);
  expectShape('attention', 'q', q, [-1, -1, multipleOf(k.shape[2], heads), -1]);
  return implementation.current(q, k, v, fma);
}

/** The reference implementation. */
export function attentionReference(q: tf.Tensor4D, k: tf.Tensor4D, v: tf.Tensor4D): tf.Tensor4D {
  const length = q.shape[1];
  return tf.tidy(() => attendReference(q, k, v, attentionMask([0], 0, length)));
}

/**
 * Attention of every row over the keys of its own sequence that `mask` allows.
 *
 * @param q [batch, T, heads, headDim]
 * @param k [batch, keys, kvHeads, headDim]
 * @param v [batch, keys, kvHeads, headDim]
 * @param mask [batch or 1, T, keys], added to the scores
 * @returns [batch, T, heads, headDim]
 */
export function attendReference(
  q: tf.Tensor4D,
  k: tf.Tensor4D,
  v: tf.Tensor4D,
  mask: tf.Tensor3D,
): tf.Tensor4D {
  return tf.tidy(() => {
    const [batch, length, heads, headDim] = q.shape;
    const [, keys, kvHeads] = k.shape;
    const shared = heads / kvHeads;
    // Head h reads key/value head floor(h / shared). The heads of one kv head become rows of one product.
    const queries: tf.Tensor3D = tf.reshape(
      tf.transpose(tf.reshape(q, [batch, length, kvHeads, shared, headDim]), [0, 2, 3, 1, 4]),
      [batch * kvHeads, shared * length, headDim],
    );
    const transposed: tf.Tensor3D = tf.reshape(tf.transpose(k, [0, 2, 3, 1]), [
      batch * kvHeads,
      headDim,
      keys,
    ]);
    const values: tf.Tensor3D = tf.reshape(tf.transpose(v, [0, 2, 1, 3]), [batch * kvHeads, keys, headDim]);
    const scores = tf.mul(product(queries, transposed), 1 / Math.sqrt(headDim));
    const masked = tf.add(
      tf.reshape(scores, [batch, heads, length, keys]),
      tf.reshape(mask, [-1, 1, length, keys]),
    );
    const weights: tf.Tensor3D = tf.reshape(tf.softmax(masked), [batch * kvHeads, shared * length, keys]);
    const mixed = tf.reshape(product(weights, values), [batch, kvHeads, shared, length, headDim]);
    return tf.reshape(tf.transpose(mixed, [0, 3, 1, 2, 4]), [batch, length, heads, headDim]);
  });
}

/**
 * Mask of sequences that each follow a prompt padded to `prefix`. A row attends to the real tokens of its prompt and
 * causally to the `length` rows of its own sequence. [sequences, length, prefix + length]: 0 for these, -1e9 elsewhere
 */
export function attentionMask(prefixLengths: readonly number[], prefix: number, length: number): tf.Tensor3D {
  const keys = prefix + length;
  const mask = new Float32Array(prefixLengths.length * length * keys).fill(-1e9);
  prefixLengths.forEach((real, sequence) => {
    for (let t = 0; t < length; t++) {
      const row = (sequence * length + t) * keys;
      mask.fill(0, row, row + real).fill(0, row + prefix, row + prefix + t + 1);
    }
  });
  return tf.tensor3d(mask, [prefixLengths.length, length, keys]);
}
