/**
 * Causal attention of sequences that share a prompt, for training. The prompt's rows are there once per group; every
 * branch (a sample's own tokens) attends to the group's prompt and, causally, to itself, in one softmax. The gradient
 * of the prompt's keys and values is the sum over its branches, which is what running each sequence whole would give.
 *
 * For n samples of a prompt of P tokens and branches of S, this is P + n S rows where whole sequences are n (P + S).
 */
import * as tf from '@tensorflow/tfjs-core';
import { attentionPlain, causalMask } from '../attention';
import { sharedPrefixAttentionFused } from '../attention/wgsl';
import { gatherRows, spreadRows } from '../gather-rows';
import { withHeap } from '../lib/on-heap';
import { product } from '../lib/product';
import { expectShape, multipleOf } from '../lib/shape';
import { fused } from '../lib/backend-switch';
import type { Branches, BranchLayout } from '../attention/layout';

const heapOps = withHeap(() => import('../attention/wasm'));

export type { Branches, BranchLayout } from '../attention/layout';

/**
 * @param q [rows, heads, headDim], rotated at positions that follow the prompt; on wasm without padding the prompts' rows
 *   may be left out, and are of the result
 * @param k [rows, kvHeads, headDim], likewise
 * @param v [rows, kvHeads, headDim]
 * @param places of the rows among all with their padding, ascending, where it is left out
 * @returns [rows, heads, headDim]
 */
export function sharedPrefixAttention(
  q: tf.Tensor3D,
  k: tf.Tensor3D,
  v: tf.Tensor3D,
  layout: BranchLayout,
  places?: readonly number[],
): tf.Tensor3D {
  const groups = layout.prompts.branches.prefixLengths.length;
  const all = groups * layout.prompts.length + layout.batch * layout.length;
  const rows = places?.length ?? all;
  const heap = heapOps();
  const asking = heap && places && q.shape[0] < rows ? rows - promptRowsOf(layout) : rows;
  expectShape('sharedPrefixAttention', 'q', q, [asking, -1, -1]);
  expectShape('sharedPrefixAttention', 'k', k, [rows, -1, q.shape[2]]);
  expectShape('sharedPrefixAttention', 'v', v, k.shape);
  expectShape('sharedPrefixAttention', 'q', q, [-1, multipleOf(k.shape[1], q.shape[1]), -1]);
  if (heap) return heap.attendBranchesOnHeap(q, k, v, layout, places);
  if (places) {
    const [spreadQ, spreadK, spreadV] = [q, k, v].map((present) => spreadRows(present, places, all));
    return gatherRows(sharedPrefixAttention(spreadQ, spreadK, spreadV, layout), places);
  }
  return fused() ? sharedPrefixAttentionFused(q, k, v, layout) : sharedPrefixAttentionPlain(q, k, v, layout);
}

/** Rows of all prompts, without padding. */
export function promptRowsOf({ prompts }: BranchLayout): number {
  return prompts.branches.prefixLengths.reduce((sum, length) => sum + length, 0);
}

/** The reference implementation. */
export function sharedPrefixAttentionPlain(
  q: tf.Tensor3D,
  k: tf.Tensor3D,
  v: tf.Tensor3D,
  { batch, length, prompts }: BranchLayout,
): tf.Tensor3D {
  return tf.tidy(() => {
    const groups = prompts.branches.prefixLengths.length;
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
    return tf.concat([
      flat(attentionPlain(prompt(q), promptK, promptV)),
      flat(attendFromBranches(branch(q), branch(k), branch(v), promptK, promptV, prompts.branches)),
    ]);
  });
}

/** Branches [branches, S, ..] over their groups' prompts [groups, P, ..] and, causally, over themselves. */
function attendFromBranches(
  q: tf.Tensor4D,
  k: tf.Tensor4D,
  v: tf.Tensor4D,
  prefixK: tf.Tensor4D,
  prefixV: tf.Tensor4D,
  { samples, prefixLengths }: Branches,
): tf.Tensor4D {
  return tf.tidy(() => {
    const [branches, length, heads, headDim] = q.shape;
    const [groups, prefix, kvHeads] = prefixK.shape;
    const shared = heads / kvHeads;
    const scale = 1 / Math.sqrt(headDim);
    /** [.., positions, kvHeads, headDim] with the head before the position, and the first two axes as one. */
    const byHead = (tensor: tf.Tensor4D, order: number[]): tf.Tensor3D => {
      const turned = tf.transpose(tensor, order);
      return tf.reshape(turned, [-1, turned.shape[2], turned.shape[3]]);
    };
    // queries twice: by branch for their own keys, by group for the prompt's, which all samples multiply at once
    const queries = tf.transpose(
      tf.reshape(tf.mul(q, scale), [branches, length, kvHeads, shared * headDim]),
      [0, 2, 1, 3],
    ); // [branches, kvHeads, S, shared * headDim]
    const rows = length * shared;
    const own: tf.Tensor3D = tf.reshape(queries, [branches * kvHeads, rows, headDim]);
    const grouped: tf.Tensor3D = tf.reshape(
      tf.transpose(tf.reshape(queries, [groups, samples, kvHeads, rows * headDim]), [0, 2, 1, 3]),
      [groups * kvHeads, samples * rows, headDim],
    );
    /** [groups * kvHeads, samples * rows, x] to [branches * kvHeads, rows, x], and back. */
    const toBranches = (tensor: tf.Tensor3D): tf.Tensor3D => {
      const last = tensor.shape[2];
      const split = tf.reshape(tensor, [groups, kvHeads, samples, rows * last]);
      return tf.reshape(tf.transpose(split, [0, 2, 1, 3]), [branches * kvHeads, rows, last]);
    };
    const toGroups = (tensor: tf.Tensor3D): tf.Tensor3D => {
      const last = tensor.shape[2];
      const split = tf.reshape(tensor, [groups, samples, kvHeads, rows * last]);
      return tf.reshape(tf.transpose(split, [0, 2, 1, 3]), [groups * kvHeads, samples * rows, last]);
    };

    const promptScores = toBranches(product(grouped, byHead(prefixK, [0, 2, 3, 1])));
    const ownScores = product(own, byHead(k, [0, 2, 3, 1]));
    const promptMasked = tf.add(
      tf.reshape(promptScores, [groups, samples * kvHeads * rows, prefix]),
      paddingMask(prefixLengths, prefix),
    );
    // a query row is (position, shared head): the causal mask has each position's row `shared` times
    const ownMasked = tf.add(
      tf.reshape(ownScores, [branches * kvHeads, length, shared, length]),
      tf.reshape(causalMask(length), [length, 1, length]),
    );
    const weights = tf.softmax(
      tf.concat(
        [
          tf.reshape(promptMasked, [branches * kvHeads, rows, prefix]),
          tf.reshape(ownMasked, [branches * kvHeads, rows, length]),
        ],
        2,
      ),
    );
    const promptWeights = tf.slice(weights, [0, 0, 0], [-1, -1, prefix]) as tf.Tensor3D;
    const ownWeights = tf.slice(weights, [0, 0, prefix], [-1, -1, length]) as tf.Tensor3D;
    const fromPrompt = toBranches(product(toGroups(promptWeights), byHead(prefixV, [0, 2, 1, 3])));
    const fromOwn = product(ownWeights, byHead(v, [0, 2, 1, 3]));
    const mixed = tf.reshape(tf.add(fromPrompt, fromOwn), [branches, kvHeads, length, shared * headDim]);
    return tf.reshape(tf.transpose(mixed, [0, 2, 1, 3]), [branches, length, heads, headDim]);
  });
}

/** [groups, 1, P]: 0 on each prompt, -1e9 on its padding. */
function paddingMask(lengths: readonly number[], prefix: number): tf.Tensor3D {
  const mask = new Float32Array(lengths.length * prefix);
  lengths.forEach((length, group) => mask.fill(-1e9, group * prefix + length, (group + 1) * prefix));
  return tf.tensor3d(mask, [lengths.length, 1, prefix]);
}
