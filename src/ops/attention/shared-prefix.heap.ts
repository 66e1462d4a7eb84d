/**
 * Attention of branches over their groups' prompts and over themselves on wasm, in the memory of tfjs's backend: what
 * `shared-prefix.ts` composes of some fifty operations there and back, most of which move numbers about. Products read
 * and write through strides here, so that only queries are laid out anew and keys or values turned. Every sum has the
 * terms and the order that it has there, so that the bits are the same.
 *
 * N = P + S columns: a branch's weights on its prompt, then on itself. Query rows are (branch, position, head that
 * shares a key), for one key/value head after the other.
 */
import * as tf from '@tensorflow/tfjs-core';
import { heapAddress, heapTensor, heapValues } from '../../gpu/wasm-heap';
import { differentiable } from '../lib/differentiable';
import { multiplyOnHeap, partOfProduct } from '../matmul/product.wasm';
import type { Branches } from './shared-prefix.wgsl';

interface Sizes {
  branches: number;
  groups: number;
  kvHeads: number;
  headDim: number;
  /** P */
  prefix: number;
  /** S */
  length: number;
  /** Query rows of one branch. */
  rows: number;
}

/** One side of the attention: the prompts, each with the queries of all its branches, or the branches with their own. */
interface Side {
  /** Matrices of one key/value head, query rows and keys of each, and the column of its first key among the N. */
  count: number;
  queries: number;
  keys: number;
  column: number;
}

/** A matrix of each member of a side and key/value head: how its rows and its members follow each other, in numbers. */
interface Layout {
  address: number;
  /** From one key/value head to the next. */
  head: number;
  next: number;
  row: number;
}

/** @param q, k, v [branches, S, ..] @param prefixK, prefixV [groups, P, ..] @returns [branches, S, heads, headDim] */
export function attendFromBranchesOnHeap(
  q: tf.Tensor4D,
  k: tf.Tensor4D,
  v: tf.Tensor4D,
  prefixK: tf.Tensor4D,
  prefixV: tf.Tensor4D,
  { samples, prefixLengths }: Branches,
): tf.Tensor4D {
  const [branches, length, heads, headDim] = q.shape;
  const [groups, prefix, kvHeads] = prefixK.shape;
  const sizes = { branches, groups, kvHeads, headDim, prefix, length, rows: (length * heads) / kvHeads };
  const { rows } = sizes;
  const scale = 1 / Math.sqrt(headDim);
  const prompts: Side = { count: groups, queries: samples * rows, keys: prefix, column: 0 };
  const own: Side = { count: branches, queries: rows, keys: length, column: prefix };
  const sides = [
    { side: prompts, k: prefixK, v: prefixV },
    { side: own, k, v },
  ];
  /** [branches, S, heads, headDim] to [kvHeads, branches * rows, headDim], and back. */
  const byHead = (tensor: tf.Tensor): tf.Tensor =>
    tf.transpose(tf.reshape(tensor, [branches * length, kvHeads, -1]), [1, 0, 2]);
  const byRow = (tensor: tf.Tensor): tf.Tensor4D =>
    tf.reshape(tf.transpose(tf.reshape(tensor, [kvHeads, branches * length, -1]), [1, 0, 2]), q.shape);

  return differentiable<tf.Tensor4D>([q, k, v, prefixK, prefixV], () => {
    const queries = byHead(tf.mul(q, scale));
    const scores = heapTensor<tf.Rank.R2>([kvHeads * branches * rows, prefix + length]);
    for (const { side, k } of sides) overKeys(sizes, side, queries, k, scores);
    mask(sizes, samples, prefixLengths, heads / kvHeads, heapValues(scores));
    const weights = tf.softmax(scores);
    const [fromPrompts, fromOwn] = sides.map(({ side, v }) => overColumns(sizes, side, weights, v));
    return {
      value: byRow(tf.add(fromPrompts, fromOwn)),
      saved: [queries, weights, k, v, prefixK, prefixV],
      gradient: (dy, [queries, weights, k, v, prefixK, prefixV]) => {
        const dMixed = byHead(dy);
        const dWeights = heapTensor<tf.Rank.R2>(scores.shape);
        overKeys(sizes, prompts, dMixed, prefixV, dWeights);
        overKeys(sizes, own, dMixed, v, dWeights);
        const along = tf.mul(dWeights, weights);
        const dScores = tf.sub(along, tf.mul(tf.sum(along, 1, true), weights));
        const dQueries = (): tf.Tensor =>
          tf.add(overColumns(sizes, prompts, dScores, prefixK), overColumns(sizes, own, dScores, k));
        return [
          () => tf.mul(byRow(dQueries()), scale),
          () => overQueries(sizes, own, dScores, queries, k.shape),
          () => overQueries(sizes, own, weights, dMixed, v.shape),
          () => overQueries(sizes, prompts, dScores, queries, prefixK.shape),
          () => overQueries(sizes, prompts, weights, dMixed, prefixV.shape),
        ];
      },
    };
  });
}

/** Of a tensor [kvHeads, branches * rows, headDim]. */
function queryLayout({ branches, rows, headDim }: Sizes, { queries }: Side, tensor: tf.Tensor): Layout {
  const head = branches * rows * headDim;
  return { address: heapAddress(tensor), head, next: queries * headDim, row: headDim };
}

/** Of the side's columns of a tensor [kvHeads * branches * rows, N]. */
function columnLayout({ branches, rows }: Sizes, { queries, column }: Side, tensor: tf.Tensor): Layout {
  const width = tensor.shape[1]!;
  const head = branches * rows * width;
  return { address: heapAddress(tensor) + 4 * column, head, next: queries * width, row: width };
}

/** Of a tensor [count, keys, kvHeads, headDim]. */
function keyLayout({ kvHeads, headDim }: Sizes, { keys }: Side, tensor: tf.Tensor): Layout {
  const row = kvHeads * headDim;
  return { address: heapAddress(tensor), head: headDim, next: keys * row, row };
}

/** C = A B, or Aᵀ B, for all members and key/value heads. */
function multiplyAll(
  { kvHeads }: Sizes,
  { count }: Side,
  [a, b, c]: readonly Layout[],
  { m, n, k, turnA = false }: { m: number; n: number; k: number; turnA?: boolean },
): void {
  for (let head = 0; head < kvHeads; head++) {
    multiplyOnHeap({
      a: a.address + 4 * head * a.head,
      b: b.address + 4 * head * b.head,
      c: c.address + 4 * head * c.head,
      batch: count,
      ...{ m, n, k, part: partOfProduct(count * kvHeads, m, n, k) },
      ...{ nextA: 4 * a.next, nextB: 4 * b.next, nextC: 4 * c.next },
      ...{ rowA: turnA ? 4 : 4 * a.row, stepA: turnA ? 4 * a.row : 4, rowB: 4 * b.row, rowC: 4 * c.row },
    });
  }
}

/** Every query with every key, into the side's columns. */
function overKeys(sizes: Sizes, side: Side, queries: tf.Tensor, keys: tf.Tensor, into: tf.Tensor2D): void {
  const { kvHeads, headDim } = sizes;
  const total = side.count * side.keys;
  const turned = tf.transpose(tf.reshape(keys, [total, kvHeads * headDim]));
  const b = { address: heapAddress(turned), head: headDim * total, next: side.keys, row: total };
  const layouts = [queryLayout(sizes, side, queries), b, columnLayout(sizes, side, into)];
  multiplyAll(sizes, side, layouts, { m: side.queries, n: side.keys, k: headDim });
  turned.dispose();
}

/** The side's columns times its keys or values: [kvHeads, branches * rows, headDim]. */
function overColumns(sizes: Sizes, side: Side, columns: tf.Tensor, keys: tf.Tensor): tf.Tensor3D {
  const { kvHeads, headDim, branches, rows } = sizes;
  const c = heapTensor<tf.Rank.R3>([kvHeads, branches * rows, headDim]);
  const layouts = [
    columnLayout(sizes, side, columns),
    keyLayout(sizes, side, keys),
    queryLayout(sizes, side, c),
  ];
  multiplyAll(sizes, side, layouts, { m: side.queries, n: headDim, k: side.keys });
  return c;
}

/** Sums over the queries of each key's column times what belongs to the query: of the shape of the keys. */
function overQueries(
  sizes: Sizes,
  side: Side,
  columns: tf.Tensor,
  queries: tf.Tensor,
  shape: number[],
): tf.Tensor {
  const c = heapTensor(shape as [number, number, number, number]);
  const layouts = [
    columnLayout(sizes, side, columns),
    queryLayout(sizes, side, queries),
    keyLayout(sizes, side, c),
  ];
  const { headDim } = sizes;
  multiplyAll(sizes, side, layouts, { m: side.keys, n: headDim, k: side.queries, turnA: true });
  return c;
}

/** -1e9 on the padding of prompts, and on a branch's later positions: as good as added, since e to it is 0. */
function mask(
  { branches, prefix, length }: Sizes,
  samples: number,
  prefixLengths: readonly number[],
  shared: number,
  scores: Float32Array,
): void {
  const width = prefix + length;
  for (let row = 0; row < scores.length / width; row++) {
    const inHead = row % (branches * length * shared);
    const group = Math.floor(inHead / (length * shared * samples));
    const position = Math.floor(inHead / shared) % length;
    scores.fill(-1e9, row * width + prefixLengths[group], row * width + prefix);
    scores.fill(-1e9, row * width + prefix + position + 1, (row + 1) * width);
  }
}
