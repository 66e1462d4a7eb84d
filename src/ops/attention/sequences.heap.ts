/**
 * Attention of whole sequences, and of branches over their groups' prompts and over themselves, on wasm in the memory of
 * tfjs's backend. Rows stand as the projections leave them, without padding: products read and write through strides
 * what they need of them, so that nothing is laid out anew and no padding is multiplied. Every sum has the terms and the
 * order that it has in the composition of tfjs's operations, but for zeros, so that the bits are the same; only where
 * query heads share a key, gradients of keys and values add up head by head.
 */
import * as tf from '@tensorflow/tfjs-core';
import { heapAddress, heapTensor, heapValues } from '../../gpu/wasm-heap';
import { differentiable } from '../lib/differentiable';
import { defineRowKernel, rowsOf, sameRow } from '../lib/row-kernel';
import { multiplyOnHeap } from '../matmul/product.wasm';
import { softmaxOnHeap } from './softmax.wasm';
import { branchSide, causalSide, spansOf, type Block, type Present, type Side, type Span } from './sides';
import type { BranchLayout } from './shared-prefix.wgsl';

const scaleAll = defineRowKernel({
  matrices: ['x', 'to'],
  given: ['scale'],
  parts: [{ each: { to: (l, of) => l.multiply(of('x'), of('scale')) } }],
});

const addAll = defineRowKernel({
  matrices: ['x', 'to'],
  parts: [{ each: { to: (l, of) => l.add(of('to'), of('x')) } }],
});

/** d softmax: dy w - w sum(dy w), in the place of dy. */
const softmaxBack = defineRowKernel({
  matrices: ['weights', 'd'],
  found: ['along'],
  parts: [
    { sum: 'along', of: (l, of) => l.multiply(of('d'), of('weights')) },
    {
      each: {
        d: (l, of) => l.subtract(l.multiply(of('d'), of('weights')), l.multiply(of('along'), of('weights'))),
      },
    },
  ],
});

/** A tensor [rows, heads, headDim] of which `first` is the first row, or scores [rows * heads, N]. */
interface Heads {
  address: number;
  first: number;
  /** Numbers of a row, and of one head in it. */
  row: number;
  head: number;
}

const headsOf = (tensor: tf.Tensor, first = 0): Heads => {
  const [, heads, headDim] = tensor.shape as [number, number, number];
  return { address: heapAddress(tensor), first, row: heads * headDim, head: headDim };
};

interface Sizes {
  heads: number;
  shared: number;
  headDim: number;
}

const at = ({ address, first, row, head }: Heads, ofRow: number, ofHead: number): number =>
  address + 4 * ((ofRow - first) * row + ofHead * head);

/** How heads follow each other in one product of a batch: those that share a key have no step in it. */
function byHead({ heads, shared }: Sizes, multiply: (head: number, batch: number, own: 0 | 1) => void): void {
  if (shared === 1) multiply(0, heads, 1);
  else for (let head = 0; head < heads; head += shared) multiply(head, shared, 0);
}

/** Every query with every key, into the block's columns. */
function overKeys(block: Block, sizes: Sizes, queries: Heads, keys: Heads, scores: Heads): void {
  const { shared, headDim } = sizes;
  byHead(sizes, (head, batch, own) =>
    multiplyOnHeap({
      a: at(queries, block.queries.first, head),
      b: at(keys, block.keys.first, head / shared),
      c: at(scores, block.queries.first, head) + 4 * block.column,
      batch,
      m: block.queries.count,
      n: block.keys.count,
      k: headDim,
      part: Math.min(block.part, headDim),
      nextA: 4 * queries.head,
      nextB: 4 * own * keys.head,
      nextC: 4 * scores.head,
      rowA: 4 * queries.row,
      stepA: 4,
      rowB: 4,
      stepB: 4 * keys.row,
      rowC: 4 * scores.row,
    }),
  );
}

/** The block's columns times its keys or values, into its queries' rows. */
function overColumns(block: Block, sizes: Sizes, columns: Heads, keys: Heads, to: Heads): void {
  const { shared, headDim } = sizes;
  byHead(sizes, (head, batch, own) =>
    multiplyOnHeap({
      a: at(columns, block.queries.first, head) + 4 * block.column,
      b: at(keys, block.keys.first, head / shared),
      c: at(to, block.queries.first, head),
      batch,
      m: block.queries.count,
      n: headDim,
      k: block.keys.count,
      part: Math.min(block.part, block.keys.count),
      nextA: 4 * columns.head,
      nextB: 4 * own * keys.head,
      nextC: 4 * to.head,
      rowA: 4 * columns.row,
      stepA: 4,
      rowB: 4 * keys.row,
      rowC: 4 * to.row,
    }),
  );
}

/** Sums over the queries of each key's column times what belongs to the query, into the keys' rows. */
function overQueries(block: Block, sizes: Sizes, columns: Heads, queries: Heads, to: Heads): void {
  const { heads, shared, headDim } = sizes;
  const add = (head: number, batch: number, { first, count }: Span, isAdded: boolean): void => {
    const c = at(to, block.keys.first, Math.floor(head / shared));
    multiplyOnHeap({
      a: at(columns, first, head) + 4 * block.column,
      b: at(queries, first, head),
      c,
      batch,
      m: block.keys.count,
      n: headDim,
      k: count,
      part: count,
      nextA: 4 * columns.head,
      nextB: 4 * queries.head,
      nextC: 4 * to.head,
      rowA: 4,
      stepA: 4 * columns.row,
      rowB: 4 * queries.row,
      rowC: 4 * to.row,
      from: isAdded ? c : 0,
      rowFrom: 4 * to.row,
      nextFrom: 4 * to.head,
    });
  };
  block.parts.forEach((span, part) => {
    if (shared === 1) add(0, heads, span, part > 0);
    else for (let head = 0; head < heads; head++) add(head, 1, span, part > 0 || head % shared > 0);
  });
}

/** What a side's lists of blocks yield for its rows, added up: [rows, heads, headDim]. */
function addUp(side: Side, sizes: Sizes, yields: (block: Block, to: Heads) => void): tf.Tensor3D {
  const [total, ...others] = side.lists.map((blocks) => {
    const part = heapTensor<tf.Rank.R3>([side.rows.count, sizes.heads, sizes.headDim]);
    for (const block of blocks) yields(block, headsOf(part, side.rows.first));
    return part;
  });
  for (const part of others) addAll(1, total.size, { x: sameRow(part), to: sameRow(total) }, {});
  return total;
}

/** A side's weights, and the queries that its gradient asks for. @param first the row of which `q` begins */
function weigh(
  side: Side,
  sizes: Sizes,
  q: tf.Tensor3D,
  k: tf.Tensor3D,
  first: number,
): [tf.Tensor2D, tf.Tensor3D] {
  const { heads, headDim } = sizes;
  const { rows, columns, lists, weighted } = side;
  const scale = 1 / Math.sqrt(headDim);
  const isBefore = side.scales === 'queries';
  const queries = heapTensor<tf.Rank.R3>([rows.count, heads, headDim]);
  const from = heapAddress(q) + 4 * (rows.first - first) * heads * headDim;
  scaleAll(1, queries.size, { x: [from, 0], to: sameRow(queries) }, { scale: isBefore ? scale : 1 });
  const weights = heapTensor<tf.Rank.R2>([rows.count * heads, columns]);
  const to = scoresOf(weights, side, heads);
  for (const block of lists.flat()) overKeys(block, sizes, headsOf(queries, rows.first), headsOf(k), to);
  for (const { rows, first, second, end } of weighted) {
    const address = at(to, rows.first, 0);
    const factor = isBefore ? 1 : scale;
    softmaxOnHeap({
      address,
      rows: rows.count,
      heads,
      columns,
      first,
      second,
      end,
      growth: 1,
      scale: factor,
    });
  }
  return [weights, queries];
}

const scoresOf = (scores: tf.Tensor2D, { rows, columns }: Side, heads: number): Heads => ({
  address: heapAddress(scores),
  first: rows.first,
  row: heads * columns,
  head: columns,
});

/**
 * @param q [rows of the sides, heads, headDim], already rotated
 * @param k, v [rows, kvHeads, headDim]
 * @param sides all rows, or the last of them
 * @returns [rows of the sides, heads, headDim]
 */
function attendOnHeap(q: tf.Tensor3D, k: tf.Tensor3D, v: tf.Tensor3D, sides: readonly Side[]): tf.Tensor3D {
  const [, heads, headDim] = q.shape;
  const { first } = sides[0].rows;
  const sizes = { heads, headDim, shared: heads / k.shape[1] };
  const scale = 1 / Math.sqrt(headDim);
  return differentiable<tf.Tensor3D>([q, k, v], () => {
    const output = heapTensor<tf.Rank.R3>(q.shape);
    const into = (side: Side, part: tf.Tensor3D, whole: tf.Tensor3D, scale: number): void => {
      const to = heapAddress(whole) + 4 * (side.rows.first - first) * heads * headDim;
      scaleAll(1, part.size, { x: sameRow(part), to: [to, 0] }, { scale });
    };
    const weighed = sides.map((side) => {
      const [weights, queries] = weigh(side, sizes, q, k, first);
      const columns = scoresOf(weights, side, heads);
      const mixed = addUp(side, sizes, (block, to) => overColumns(block, sizes, columns, headsOf(v), to));
      into(side, mixed, output, 1);
      return [weights, queries];
    });
    return {
      value: output,
      saved: [k, v, ...weighed.flat()],
      gradient: (dy, [keys, values, ...saved]) => {
        const back = sides.map((side, i) => {
          const [weights, queries] = [saved[2 * i] as tf.Tensor2D, saved[2 * i + 1]];
          const d = heapTensor<tf.Rank.R2>(weights.shape);
          heapValues(d).fill(0); // no weight, no number: what lies there might be none
          const to = scoresOf(d, side, heads);
          for (const block of side.lists.flat())
            overKeys(block, sizes, headsOf(dy, first), headsOf(values), to);
          softmaxBack(weights.shape[0], side.columns, { weights: rowsOf(weights), d: rowsOf(d) }, {});
          if (side.scales === 'products') {
            scaleAll(1, d.size, { x: sameRow(d), to: sameRow(d) }, { scale });
          }
          return { side, weights, queries: headsOf(queries, side.rows.first), d };
        });
        const byQueries = (): tf.Tensor => {
          const dq = heapTensor<tf.Rank.R3>(q.shape);
          for (const { side, d } of back) {
            const columns = scoresOf(d, side, heads);
            const part = addUp(side, sizes, (block, to) =>
              overColumns(block, sizes, columns, headsOf(keys), to),
            );
            into(side, part, dq, side.scales === 'queries' ? scale : 1);
          }
          return dq;
        };
        /** The last side first, as tfjs adds them. */
        const overAll = (columnsOf: (i: number) => tf.Tensor2D, rowsBy: (i: number) => Heads): tf.Tensor => {
          const total = heapTensor<tf.Rank.R3>(k.shape);
          heapValues(total).fill(0);
          for (let i = back.length - 1; i >= 0; i--) {
            const { side } = back[i];
            for (const blocks of side.lists) {
              const part = heapTensor<tf.Rank.R3>(k.shape);
              heapValues(part).fill(0);
              for (const block of blocks) {
                overQueries(block, sizes, scoresOf(columnsOf(i), side, heads), rowsBy(i), headsOf(part));
              }
              addAll(1, total.size, { x: sameRow(part), to: sameRow(total) }, {});
            }
          }
          return total;
        };
        return [
          byQueries,
          () =>
            overAll(
              (i) => back[i].d,
              (i) => back[i].queries,
            ),
          () =>
            overAll(
              (i) => back[i].weights,
              () => headsOf(dy, first),
            ),
        ];
      },
    };
  });
}

/** Parameters as of `attention`. */
export function attendSequencesOnHeap(q: tf.Tensor4D, k: tf.Tensor4D, v: tf.Tensor4D): tf.Tensor4D {
  const [batch, length, heads, headDim] = q.shape;
  const kvHeads = k.shape[2];
  const spans = spansOf(undefined, 0, batch, length, 0);
  const rows = (tensor: tf.Tensor4D, count: number): tf.Tensor3D =>
    tf.reshape(tensor, [batch * length, count, headDim]);
  const side = causalSide(spans, length, batch * kvHeads, headDim);
  return tf.reshape(attendOnHeap(rows(q, heads), rows(k, kvHeads), rows(v, kvHeads), [side]), q.shape);
}

/** Sides of the layouts that are in use, by sizes: the layers and passes of a batch have the same. */
const known = new WeakMap<object, Map<string, readonly Side[]>>();

/** Parameters as of `sharedPrefixAttention`. */
export function attendBranchesOnHeap(
  q: tf.Tensor3D,
  k: tf.Tensor3D,
  v: tf.Tensor3D,
  layout: BranchLayout,
  present: Present,
): tf.Tensor3D {
  const sizes = [q.shape, k.shape, layout.batch, layout.length].join();
  const ofLayout = known.get(layout.prompts) ?? new Map<string, readonly Side[]>();
  known.set(layout.prompts, ofLayout);
  let sides = ofLayout.get(sizes);
  if (!sides) {
    const [ofPrompts, ofBranches] = sidesOf(layout, present, q.shape, k.shape[1]);
    sides = q.shape[0] < k.shape[0] ? [ofBranches] : [ofPrompts, ofBranches];
    ofLayout.set(sizes, sides);
  }
  return attendOnHeap(q, k, v, sides);
}

function sidesOf(
  layout: BranchLayout,
  present: Present,
  [, heads, headDim]: readonly [number, number, number],
  kvHeads: number,
): Side[] {
  const { batch, length, prompts } = layout;
  const groups = prompts.branches.prefixLengths.length;
  const promptSpans = spansOf(present, 0, groups, prompts.length, 0);
  const before = promptSpans.reduce((sum, { count }) => sum + count, 0);
  const branchSpans = spansOf(present, groups * prompts.length, batch, length, before);
  return [
    causalSide(promptSpans, prompts.length, groups * kvHeads, headDim),
    branchSide(promptSpans, branchSpans, layout, kvHeads, headDim, heads / kvHeads),
  ];
}
