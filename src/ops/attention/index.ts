/**
 * Causal attention with grouped key/value heads (GQA), for training and prefill. Every sequence starts at position 0
 * and is padded on the right, so the causal mask alone keeps padding out of real rows.
 *
 * o = softmax(q kᵀ / sqrt(headDim) + causal) v. The WGSL kernel never stores the [heads, T, T] scores. Its backward
 * pass recomputes them from the log-sum-exp of each row (Dao et al. 2022).
 */
import type * as tf from '@tensorflow/tfjs-core';
import { implementations } from '../../gpu/implementations';
import { expectShape, multipleOf } from '../lib/shape';

const implementation = implementations<typeof attention>('attention', {
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
