/**
 * Attention on wasm in the memory of tfjs's backend, for whole sequences and for branches that attend to their group's
 * prompt and to themselves. Rows keep the layout of the projections, without padding. Products read and write them
 * through strides, so no tensor is rearranged and no padding is multiplied.
 */
import type * as tf from '@tensorflow/tfjs-core';
import { heapAddress, heapTensor, heapValues } from '../../gpu/wasm-heap';
import { together } from '../../gpu/wasm-kernels';
import { differentiable } from '../lib/differentiable';
import { runRows, softmaxWasm, type Rows } from '../lib/row-kernel';
import { multiplyWasm, strided, transposed, type Strided } from '../matmul/wasm';
import { branchCount, type BranchLayout } from './layout';

/**
 * Larger attention weights are recomputed for the gradient. The product is cheap compared with the projections, but the
 * weights are large.
 */
const SAVED_WEIGHTS_BYTES = 2e6;

/** Consecutive rows. */
interface Span {
  first: number;
  count: number;
}

/** Consecutive sequences that attend to themselves and to their prompt, if any. */
interface Group {
  prompt: Span | null;
  sequences: readonly Span[];
}

/** Rows of heads, each head contiguous: address of row 0, and the numbers per row and per head. */
interface Heads {
  address: number;
  row: number;
  head: number;
}

interface Sizes {
  heads: number;
  headDim: number;
  /** Query heads per key head. */
  shared: number;
  /** True if products may use FMA. */
  fma: boolean;
}

/** @param first index of the tensor's first row; shape [rows, heads, headDim] */
const headsOf = (tensor: tf.Tensor, first = 0): Heads => {
  const [, heads, headDim] = tensor.shape as [number, number, number];
  const row = heads * headDim;
  return { address: heapAddress(tensor) - 4 * first * row, row, head: headDim };
};

const at = ({ address, row, head }: Heads, ofRow: number, ofHead: number): number =>
  address + 4 * (ofRow * row + ofHead * head);

/** Rows of a head, from `column` on. The next matrix is that of the head `step` further. */
const matrixOf = (of: Heads, { first }: Span, head: number, step = 1, column = 0): Strided =>
  strided(at(of, first, head) + 4 * column, of.row, step * of.head);

/**
 * Batches heads into products: all heads at once, or the heads that share a key head, for which the key stride is 0.
 */
function byHead(
  { heads, shared }: Sizes,
  multiply: (head: number, batch: number, step: 0 | 1) => void,
): void {
  if (shared === 1) multiply(0, heads, 1);
  else for (let head = 0; head < heads; head += shared) multiply(head, shared, 0);
}

/** Keys that the query rows attend to, and the weight column of the first key. */
interface Block {
  queries: Span;
  keys: Span;
  column: number;
}

/** Scores of every query with every key, written to the block's columns. */
function overKeys({ queries, keys, column }: Block, sizes: Sizes, q: Heads, k: Heads, scores: Heads): void {
  const { shared, headDim, fma } = sizes;
  byHead(sizes, (head, batch, step) =>
    multiplyWasm(
      matrixOf(q, queries, head),
      transposed(matrixOf(k, keys, head / shared, step)),
      matrixOf(scores, queries, head, 1, column),
      [queries.count, keys.count, headDim],
      { batch, fma },
    ),
  );
}

/** Multiplies the block's columns by its keys or values, and writes or adds the result to the query rows. */
function overColumns(
  { queries, keys, column }: Block,
  sizes: Sizes,
  columns: Heads,
  k: Heads,
  to: Heads,
  isAdded: boolean,
): void {
  const { shared, headDim, fma } = sizes;
  byHead(sizes, (head, batch, step) => {
    const c = matrixOf(to, queries, head);
    multiplyWasm(
      matrixOf(columns, queries, head, 1, column),
      matrixOf(k, keys, head / shared, step),
      c,
      [queries.count, headDim, keys.count],
      { batch, from: isAdded ? [c.at, c.row] : undefined, fma },
    );
  });
}

/**
 * Adds to each key row the sum over queries of the key's column times the query's row, for one of the query heads that
 * share each key head.
 */
function addOverQueries(
  { queries, keys, column }: Block,
  { heads, headDim, shared, fma }: Sizes,
  head: number,
  columns: Heads,
  q: Heads,
  to: Heads,
): void {
  const c = matrixOf(to, keys, 0);
  multiplyWasm(
    transposed(matrixOf(columns, queries, head, shared, column)),
    matrixOf(q, queries, head, shared),
    c,
    [keys.count, headDim, queries.count],
    { batch: heads / shared, from: [c.at, c.row], fma },
  );
}

/** Blocks of a group: all sequences with the prompt, then each sequence with itself. */
function blocksOf({ prompt, sequences }: Group): Block[] {
  const own = sequences.map((span) => ({ queries: span, keys: span, column: prompt?.count ?? 0 }));
  return prompt ? [{ queries: union(sequences), keys: prompt, column: 0 }, ...own] : own;
}

const union = (spans: readonly Span[]): Span => ({
  first: spans[0].first,
  count: spans.reduce((sum, { count }) => sum + count, 0),
});

/** Line length of the weights, for one row and head of the group. */
const columnsOf = ({ prompt, sequences }: Group): number =>
  (prompt?.count ?? 0) + Math.max(...sequences.map(({ count }) => count));

/** Weights of all groups, consecutive in one tensor. */
function weightsIn(tensor: tf.Tensor, groups: readonly Group[], heads: number): Heads[] {
  let address = heapAddress(tensor);
  return groups.map((group) => {
    const { first, count } = union(group.sequences);
    const head = columnsOf(group);
    const row = heads * head;
    const weights = { address: address - 4 * first * row, row, head };
    address += 4 * count * row;
    return weights;
  });
}

/**
 * @param q [rows of the groups' sequences, heads, headDim], already rotated: all rows, or the last ones
 * @param k, v [rows, kvHeads, headDim]
 * @returns the shape of q
 */
function attendWasm(
  q: tf.Tensor3D,
  k: tf.Tensor3D,
  v: tf.Tensor3D,
  groups: readonly Group[],
  fma: boolean,
): tf.Tensor3D {
  const [, heads, headDim] = q.shape;
  const { first } = groups[0].sequences[0];
  const sizes = { heads, headDim, shared: heads / k.shape[1], fma };
  const scale = 1 / Math.sqrt(headDim);
  const blocks = groups.map(blocksOf);
  const size =
    groups.reduce((sum, group) => sum + union(group.sequences).count * columnsOf(group), 0) * heads;
  const eachBlock = (visit: (block: Block, group: number, isFirst: boolean) => void): void =>
    blocks.forEach((own, group) => own.forEach((block, i) => visit(block, group, i === 0)));
  /** The first round multiplies by the prompts and writes. The second multiplies by the branches and adds. */
  const mixColumns = (lines: readonly Heads[], from: Heads, to: Heads): void => {
    for (const isRoundOfBranches of [false, true]) {
      together(() =>
        eachBlock((block, group, isFirst) => {
          const isAdded = !isFirst && groups[group].prompt !== null;
          if (isAdded === isRoundOfBranches) overColumns(block, sizes, lines[group], from, to, isAdded);
        }),
      );
    }
  };
  const weightsOf = (q: tf.Tensor, k: tf.Tensor): tf.Tensor1D => {
    const weights = heapTensor<tf.Rank.R1>([size]);
    const lines = weightsIn(weights, groups, heads);
    const [queries, keys] = [headsOf(q, first), headsOf(k)];
    together(() => eachBlock((block, group) => overKeys(block, sizes, queries, keys, lines[group])));
    together(() =>
      groups.forEach(({ prompt, sequences }, group) => {
        const before = prompt?.count ?? 0;
        for (const { first: row, count } of sequences) {
          softmaxWasm({
            ...{ address: at(lines[group], row, 0), rows: count, heads, columns: lines[group].head },
            ...{ first: before, second: before, end: before + 1, growth: 1, scale },
          });
        }
      }),
    );
    return weights;
  };
  return differentiable<tf.Tensor3D>([q, k, v], () => {
    const output = heapTensor<tf.Rank.R3>(q.shape);
    const weights = weightsOf(q, k);
    mixColumns(weightsIn(weights, groups, heads), headsOf(v), headsOf(output, first));
    return {
      value: output,
      saved: [q, k, v, ...(4 * size <= SAVED_WEIGHTS_BYTES ? [weights] : [])],
      gradient: (dy, [q, k, v, saved]) => {
        const weights = (saved as tf.Tensor | undefined) ?? weightsOf(q, k);
        const [given, queries, keys, values] = [
          headsOf(dy, first),
          headsOf(q, first),
          headsOf(k),
          headsOf(v),
        ];
        const d = heapTensor<tf.Rank.R1>([size]);
        const [lines, back] = [weights, d].map((tensor) => weightsIn(tensor, groups, heads));
        together(() => eachBlock((block, group) => overKeys(block, sizes, given, values, back[group])));
        together(() =>
          groups.forEach(({ prompt, sequences }, group) => {
            for (const { first: row, count } of sequences) {
              const rows = (of: Heads): Rows => [at(of, row, 0), 4 * of.head];
              const columns = (prompt?.count ?? 0) + count;
              const matrices = [rows(lines[group]), rows(back[group])];
              runRows('softmaxGradient', count * heads, columns, matrices, [scale]);
            }
          }),
        );
        const byQueries = (): tf.Tensor => {
          const dq = heapTensor<tf.Rank.R3>(q.shape as [number, number, number]);
          mixColumns(back, keys, headsOf(dq, first));
          return dq;
        };
        const byKeys = (columns: readonly Heads[], rows: Heads): tf.Tensor => {
          const total = heapTensor<tf.Rank.R3>(k.shape as [number, number, number]);
          heapValues(total).fill(0);
          const to = headsOf(total);
          // Sequences write to disjoint rows. The branches add to a prompt after the prompt's own contribution.
          for (const isRoundOfPrompts of [false, true]) {
            for (let head = 0; head < sizes.shared; head++) {
              together(() =>
                eachBlock((block, group, isFirst) => {
                  const isPrompt = isFirst && groups[group].prompt !== null;
                  if (isPrompt === isRoundOfPrompts)
                    addOverQueries(block, sizes, head, columns[group], rows, to);
                }),
              );
            }
          }
          return total;
        };
        return [byQueries, () => byKeys(back, queries), () => byKeys(lines, given)];
      },
    };
  });
}

/** Takes the parameters of `attention`. */
export function attentionWasm(
  q: tf.Tensor3D,
  k: tf.Tensor3D,
  v: tf.Tensor3D,
  layout: BranchLayout,
  places?: readonly number[],
  fma = false,
): tf.Tensor3D {
  const { length, prompts } = layout;
  const { samples, prefixLengths } = prompts.branches;
  const promptSpans = spansOf(places, 0, prefixLengths.length, prompts.length, 0);
  const before = union(promptSpans).count;
  const branches = spansOf(
    places,
    prefixLengths.length * prompts.length,
    branchCount(layout),
    length,
    before,
  );
  const hasPrompts = prompts.length > 0;
  const ofPrompts = promptSpans.map((span): Group => ({ prompt: null, sequences: [span] }));
  const ofBranches = promptSpans.map(({ first }, group): Group => ({
    prompt: hasPrompts ? { first, count: prefixLengths[group] } : null,
    sequences: branches.slice(group * samples, (group + 1) * samples),
  }));
  const groups = hasPrompts && q.shape[0] === k.shape[0] ? [...ofPrompts, ...ofBranches] : ofBranches;
  return attendWasm(q, k, v, groups, fma);
}

/** Rows of `count` sequences, each padded to `length` places from `place` on. `row` is the first of them. */
function spansOf(
  places: readonly number[] | undefined,
  place: number,
  count: number,
  length: number,
  row: number,
): Span[] {
  let next = row;
  return Array.from({ length: count }, (_, i) => {
    const first = next;
    const end = place + (i + 1) * length;
    if (places) while (next < places.length && places[next] < end) next++;
    else next += length;
    return { first, count: next - first };
  });
}
