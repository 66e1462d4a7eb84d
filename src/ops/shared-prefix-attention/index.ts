/**
 * Causal attention of sequences that share a prompt, for training. Each group stores its prompt's rows once. Every
 * branch (a sample's own tokens) attends to the group's prompt and, causally, to itself, in one softmax. The gradient
 * of the prompt's keys and values sums over its branches and equals the gradient of separate whole sequences.
 *
 * For n samples of a prompt of P tokens and branches of S tokens, this takes P + n S rows instead of n (P + S).
 */
import type * as tf from '@tensorflow/tfjs-core';
import { implementations } from '../../gpu/implementations';
import { acceptsLastRows } from '../lib/last-rows';
import { expectShape, multipleOf } from '../lib/shape';
import { paddedRows, type BranchLayout } from '../attention/layout';

const implementation = implementations<typeof sharedPrefixAttention>('sharedPrefixAttention', {
  wasm: async () => (await import('../attention/wasm')).attendBranchesWasm,
  wgsl: async () => (await import('../attention/wgsl')).sharedPrefixAttentionWgsl,
});

export { paddedRows } from '../attention/layout';
export type { Branches, BranchLayout } from '../attention/layout';

/**
 * @param q [rows, heads, headDim], rotated at positions that follow the prompt; on wasm without padding the prompts'
 *   rows
 *   may be omitted, and the result then omits them too
 * @param k [rows, kvHeads, headDim], rotated likewise
 * @param v [rows, kvHeads, headDim]
 * @param places on wasm: ascending padded positions of the rows, if padding is left out
 * @param fma on wasm: `allowsFma` of the weights that q, k and v come from
 * @returns [rows, heads, headDim]
 */
export function sharedPrefixAttention(
  q: tf.Tensor3D,
  k: tf.Tensor3D,
  v: tf.Tensor3D,
  layout: BranchLayout,
  places?: readonly number[],
  fma = false,
): tf.Tensor3D {
  const rows = places?.length ?? paddedRows(layout);
  const omits = acceptsLastRows() && places && q.shape[0] < rows;
  const asking = omits ? rows - promptRowsOf(layout) : rows;
  expectShape('sharedPrefixAttention', 'q', q, [asking, -1, -1]);
  expectShape('sharedPrefixAttention', 'k', k, [rows, -1, q.shape[2]]);
  expectShape('sharedPrefixAttention', 'v', v, k.shape);
  expectShape('sharedPrefixAttention', 'q', q, [-1, multipleOf(k.shape[1], q.shape[1]), -1]);
  return implementation.current(q, k, v, layout, places, fma);
}

/** Number of rows of all prompts, without padding. */
export function promptRowsOf({ prompts }: BranchLayout): number {
  return prompts.branches.prefixLengths.reduce((sum, length) => sum + length, 0);
}
