/**
 * Causal attention of sequences that share a prompt, for training. Each group stores its prompt's rows once. Every
 * branch (a sample's own tokens) attends to the group's prompt and, causally, to itself, in one softmax. The gradient
 * of the prompt's keys and values sums over its branches and equals the gradient of separate whole sequences.
 *
 * For n samples of a prompt of P tokens and branches of S tokens, this takes P + n S rows instead of n (P + S).
 */
import * as tf from '@tensorflow/tfjs-core';
import { implementations } from '../../gpu/implementations';
import { attendReference, attentionMask, attentionReference } from '../attention';
import { acceptsLastRows } from '../lib/last-rows';
import { expectShape, multipleOf } from '../lib/shape';
import { paddedRows, type BranchLayout } from '../attention/layout';
import { padded } from './padded';

const implementation = implementations<typeof sharedPrefixAttention>({
  reference: padded(sharedPrefixAttentionReference),
  wasm: async () => (await import('../attention/wasm')).attendBranchesWasm,
  wgsl: async () => padded((await import('../attention/wgsl')).sharedPrefixAttentionWgsl),
});

export { paddedRows } from '../attention/layout';
export type { Branches, BranchLayout } from '../attention/layout';

/**
 * @param q [rows, heads, headDim], rotated at positions that follow the prompt; on wasm without padding the prompts'
 *   rows
 *   may be omitted, and the result then omits them too
 * @param k [rows, kvHeads, headDim], rotated likewise
 * @param v [rows, kvHeads, headDim]
 * @param places ascending padded positions of the rows, if padding is left out
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

/** The reference implementation. */
function sharedPrefixAttentionReference(
  q: tf.Tensor3D,
  k: tf.Tensor3D,
  v: tf.Tensor3D,
  { batch, length, prompts }: BranchLayout,
): tf.Tensor3D {
  return tf.tidy(() => {
    const { samples, prefixLengths } = prompts.branches;
    const groups = prefixLengths.length;
    const promptRows = groups * prompts.length;
    /** Rows from `start` as sequences: [count, each, heads | kvHeads, headDim]. */
    const part = (rows: tf.Tensor3D, start: number, count: number, each: number): tf.Tensor4D =>
      tf.reshape(tf.slice(rows, [start, 0, 0], [count * each, -1, -1]), [
        count,
        each,
        rows.shape[1],
        rows.shape[2],
      ]);
    const prompt = (rows: tf.Tensor3D): tf.Tensor4D => part(rows, 0, groups, prompts.length);
    const branch = (rows: tf.Tensor3D): tf.Tensor4D => part(rows, promptRows, batch, length);
    const flat = (mixed: tf.Tensor4D): tf.Tensor3D => tf.reshape(mixed, [-1, mixed.shape[2], mixed.shape[3]]);
    const promptK = prompt(k);
    const promptV = prompt(v);
    /** Prepends the prompt's rows to each of its branches: [batch, P + S, kvHeads, headDim]. */
    const afterPrompt = (prefix: tf.Tensor4D, own: tf.Tensor4D): tf.Tensor4D => {
      const repeated = tf.tile(tf.reshape(prefix, [groups, 1, -1]), [1, samples, 1]);
      return tf.concat([tf.reshape(repeated, [batch, prompts.length, own.shape[2], own.shape[3]]), own], 1);
    };
    const lengths = prefixLengths.flatMap((real) => new Array<number>(samples).fill(real));
    const fromBranches = attendReference(
      branch(q),
      afterPrompt(promptK, branch(k)),
      afterPrompt(promptV, branch(v)),
      attentionMask(lengths, prompts.length, length),
    );
    return tf.concat([flat(attentionReference(prompt(q), promptK, promptV)), flat(fromBranches)]);
  });
}
