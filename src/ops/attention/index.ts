/**
 * Causal attention with grouped key/value heads (GQA), for training and prefill, of whole sequences and of sequences that
 * share a prompt. Each group stores its prompt's rows once. Every branch (a sample's own tokens) attends to the group's
 * prompt and, causally, to itself, in one softmax. The gradient of the prompt's keys and values sums over its branches and
 * equals the gradient of separate whole sequences. For n samples of a prompt of P tokens and branches of S tokens, this
 * takes P + n S rows instead of n (P + S).
 *
 * o = softmax(q kᵀ / sqrt(headDim) + causal) v. The WGSL kernel never stores the [heads, T, T] scores. Its backward
 * pass recomputes them from the log-sum-exp of each row (Dao et al. 2022).
 */
import type * as tf from '@tensorflow/tfjs-core';
import { implementations } from '../../gpu/implementations';
import { acceptsLastRows, expectShape, multipleOf } from '../lib/shape';
import { paddedRows, promptRowsOf, type BranchLayout } from './layout';

const implementation = implementations<typeof attention>('attention', {
  wasm: async () => (await import('./wasm')).attentionWasm,
  wgsl: async () => (await import('./wgsl')).attentionWgsl,
});

export { branchCount, paddedRows, promptRowsOf, wholeSequences } from './layout';
export type { BranchLayout } from './layout';

/**
 * @param q [rows, heads, headDim], rotated at positions that follow the prompt; on wasm without padding the prompts'
 *   rows may be omitted, and the result then omits them too
 * @param k [rows, kvHeads, headDim], rotated likewise; kvHeads divides heads
 * @param v [rows, kvHeads, headDim]
 * @param places on wasm: ascending padded positions of the rows, if padding is left out
 * @param fma on wasm: `allowsFma` of the weights that q, k and v come from
 * @returns [rows, heads, headDim]
 */
export function attention(
  q: tf.Tensor3D,
  k: tf.Tensor3D,
  v: tf.Tensor3D,
  layout: BranchLayout,
  places?: readonly number[],
  fma = false,
): tf.Tensor3D {
  const rows = places?.length ?? paddedRows(layout);
  const omits = acceptsLastRows() && places && q.shape[0] < rows;
  expectShape('attention', 'q', q, [omits ? rows - promptRowsOf(layout) : rows, -1, -1]);
  expectShape('attention', 'k', k, [rows, -1, q.shape[2]]);
  expectShape('attention', 'v', v, k.shape);
  expectShape('attention', 'q', q, [-1, multipleOf(k.shape[1], q.shape[1]), -1]);
  return implementation.current(q, k, v, layout, places, fma);
}
