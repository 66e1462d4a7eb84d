/**
 * Projections of one input on wasm, in the memory of tfjs's backend: each multiplies by its own rows of the joint weight
 * where they lie, turned as they are read, and its gradients go to their own rows.
 */
import type * as tf from '@tensorflow/tfjs-core';
import { heapAddress, heapTensor, heapValues } from '../../gpu/wasm-heap';
import { differentiable } from '../lib/differentiable';
import { defineRowKernel, rowsOf, sameRow, type Rows } from '../lib/row-kernel';
import { multiplyOnHeap } from '../matmul/wasm';

/** As much of a joint projection as there is here: all matrices are float32. */
export interface HeapProjection {
  segments: readonly number[];
  /** [sum of segments, inputs] */
  matrix: tf.Tensor2D;
  /** Whether gradients flow into it. */
  trainable: boolean;
  /** [sum of segments] */
  bias?: tf.Tensor1D | null;
  /** Of the product: y = scale * x Wᵀ + bias + residual */
  scale?: number;
  /** a [segments * rank, inputs], b [sum of segments, rank]: adds scale * (x Aᵀ) Bᵀ */
  adapter?: { a: tf.Tensor2D; b: tf.Tensor2D; scale: number } | null;
  /** Rows at the beginning that the first projection leaves out: its outputs have as many fewer. */
  skipped?: number;
}

/** y = scale * x, or with what stands in `to` added to it. */
const scaleRows = defineRowKernel({
  matrices: ['x', 'to'],
  given: ['scale'],
  parts: [{ each: { to: (l, of) => l.multiply(of('x'), of('scale')) } }],
});
const addScaledRows = defineRowKernel({
  matrices: ['x', 'to'],
  given: ['scale'],
  parts: [{ each: { to: (l, of) => l.add(l.multiply(of('x'), of('scale')), of('to')) } }],
});
const addRows = defineRowKernel({
  matrices: ['x', 'to'],
  parts: [{ each: { to: (l, of) => l.add(of('to'), of('x')) } }],
});

/** A matrix whose rows lie one behind the other: where it begins, and numbers of a row. */
interface Matrix {
  address: number;
  width: number;
}

const whole = (tensor: tf.Tensor): Matrix => ({ address: heapAddress(tensor), width: tensor.shape[1]! });
const fromRow = (tensor: tf.Tensor, row: number): Matrix => {
  const { address, width } = whole(tensor);
  return { address: address + 4 * row * width, width };
};

interface ProductOptions {
  /** The factor whose rows and columns are exchanged. */
  turn?: 'a' | 'b';
  /** What the product is added to. */
  from?: Rows;
}

/** C = A B, Aᵀ B or A Bᵀ, each [m, n] with sums over k. */
function multiply(
  a: Matrix,
  b: Matrix,
  c: Matrix,
  [m, n, k]: readonly [number, number, number],
  { turn, from }: ProductOptions = {},
): void {
  const [rowA, rowB] = [4 * a.width, 4 * b.width];
  multiplyOnHeap({
    a: a.address,
    b: b.address,
    c: c.address,
    m,
    n,
    k,
    rowA: turn === 'a' ? 4 : rowA,
    stepA: turn === 'a' ? rowA : 4,
    rowB: turn === 'b' ? 4 : rowB,
    stepB: turn === 'b' ? rowB : 4,
    rowC: 4 * c.width,
    from: from?.[0],
    rowFrom: from?.[1],
  });
}

/**
 * @param x [rows, inputs]
 * @param residual [rows or more, sum of segments]: the last rows of it
 * @returns each projection's outputs: [rows, segment]
 */
export function projectOnHeap(
  x: tf.Tensor2D,
  { segments, matrix, trainable, bias, scale = 1, adapter, skipped = 0 }: HeapProjection,
  residual?: tf.Tensor2D,
): tf.Tensor2D[] {
  const [all, width] = x.shape;
  /** The row at which a projection's input begins, and how many it has. */
  const firstOf = (i: number): number => (i === 0 ? skipped : 0);
  const rowsFor = (i: number): number => all - firstOf(i);
  const rank = adapter ? adapter.b.shape[1] : 0;
  const firsts = segments.map((_, i) => segments.slice(0, i).reduce((sum, size) => sum + size, 0));
  const inputs: tf.Tensor[] = [x];
  if (trainable) inputs.push(matrix);
  if (bias) inputs.push(bias);
  if (residual) inputs.push(residual);
  if (adapter) inputs.push(adapter.a, adapter.b);

  const low = (i: number): tf.Tensor2D => {
    const rows = rowsFor(i);
    const inner = heapTensor<tf.Rank.R2>([rows, rank]);
    const part = fromRow(x, firstOf(i));
    multiply(part, fromRow(adapter!.a, i * rank), whole(inner), [rows, rank, width], { turn: 'b' });
    return inner;
  };
  const project = (size: number, i: number): tf.Tensor2D => {
    const rows = rowsFor(i);
    const y = heapTensor<tf.Rank.R2>([rows, size]);
    const ofSegment = ([address, stride]: Rows, row = 0): Rows => [
      address + row * stride + 4 * firsts[i],
      stride,
    ];
    const rowOfBias = bias && ofSegment(sameRow(bias));
    const rowsOfResidual = residual && ofSegment(rowsOf(residual), residual.shape[0] - all);
    const from = scale === 1 ? (rowOfBias ?? rowsOfResidual) : undefined;
    const part = fromRow(x, firstOf(i));
    multiply(part, fromRow(matrix, firsts[i]), whole(y), [rows, size, width], { turn: 'b', from });
    if (scale !== 1) {
      scaleRows(rows, size, { x: rowsOf(y), to: rowsOf(y) }, { scale });
      if (rowOfBias) addRows(rows, size, { x: rowOfBias, to: rowsOf(y) }, {});
    }
    if (rowsOfResidual && from !== rowsOfResidual) {
      addRows(rows, size, { x: rowsOfResidual, to: rowsOf(y) }, {});
    }
    return y;
  };
  /** `dy` times `factor`, in a tensor of its own unless that is 1. */
  const scaled = (dy: tf.Tensor2D, factor: number): tf.Tensor2D => {
    if (factor === 1) return dy;
    const product = heapTensor<tf.Rank.R2>(dy.shape);
    scaleRows(dy.shape[0], dy.shape[1], { x: rowsOf(dy), to: rowsOf(product) }, { scale: factor });
    return product;
  };

  return differentiable<tf.Tensor2D[]>(inputs, () => {
    const lows = adapter ? segments.map((_, i) => low(i)) : [];
    const values = segments.map((size, i) => {
      const y = project(size, i);
      if (!adapter) return y;
      const rows = rowsFor(i);
      const added = heapTensor<tf.Rank.R2>([rows, size]);
      const inputs = whole(lows[i]);
      multiply(inputs, fromRow(adapter.b, firsts[i]), whole(added), [rows, size, rank], { turn: 'b' });
      addScaledRows(rows, size, { x: rowsOf(added), to: rowsOf(y) }, { scale: adapter.scale });
      return y;
    });
    return {
      value: values,
      saved: [x, matrix, ...(adapter ? [adapter.a, adapter.b, ...lows] : [])],
      gradient: (given, [input, factor, a, b, ...inner]) => {
        const dys = [given].flat(); // tfjs hands on a single one as it is
        /** By x Aᵀ: [rows, rank] */
        const dLow = (i: number): tf.Tensor2D => {
          const rows = rowsFor(i);
          const d = heapTensor<tf.Rank.R2>([rows, rank]);
          const outer = scaled(dys[i], adapter!.scale);
          multiply(whole(outer), fromRow(b, firsts[i]), whole(d), [rows, rank, segments[i]]);
          return d;
        };
        const byInput = (): tf.Tensor2D => {
          const dx = heapTensor<tf.Rank.R2>(x.shape);
          let isAdded = false;
          const add = (d: tf.Tensor2D, by: Matrix): void => {
            const to = fromRow(dx, all - d.shape[0]);
            const from: Rows | undefined = isAdded ? [to.address, 4 * width] : undefined;
            multiply(whole(d), by, to, [d.shape[0], width, d.shape[1]], { from });
            isAdded = true;
          };
          // from the last: the first may have fewer rows, and what is written first must be all
          for (let i = dys.length - 1; i >= 0; i--) {
            if (adapter) add(dLow(i), fromRow(a, i * rank));
            add(scaled(dys[i], scale), fromRow(factor, firsts[i]));
          }
          return dx;
        };
        const gradients: (() => tf.Tensor)[] = [byInput];
        if (trainable) {
          gradients.push(() => {
            const d = heapTensor<tf.Rank.R2>(matrix.shape);
            dys.forEach((dy, i) =>
              multiply(
                whole(scaled(dy, scale)),
                fromRow(input, firstOf(i)),
                fromRow(d, firsts[i]),
                [segments[i], width, rowsFor(i)],
                {
                  turn: 'a',
                },
              ),
            );
            return d;
          });
        }
        if (bias) gradients.push(() => columnSumsOnHeap(dys));
        if (residual) gradients.push(() => besideEachOther(dys, residual.shape[0]));
        if (adapter) {
          gradients.push(
            () => {
              const d = heapTensor<tf.Rank.R2>(adapter.a.shape);
              dys.forEach((_, i) =>
                multiply(
                  whole(dLow(i)),
                  fromRow(input, firstOf(i)),
                  fromRow(d, i * rank),
                  [rank, width, rowsFor(i)],
                  { turn: 'a' },
                ),
              );
              return d;
            },
            () => {
              const d = heapTensor<tf.Rank.R2>(adapter.b.shape);
              dys.forEach((dy, i) => {
                const outer = whole(scaled(dy, adapter.scale));
                multiply(outer, whole(inner[i]), fromRow(d, firsts[i]), [segments[i], rank, rowsFor(i)], {
                  turn: 'a',
                });
              });
              return d;
            },
          );
        }
        return gradients;
      },
    };
  });
}

/** Sums of the columns of all parts, one behind the other. */
function columnSumsOnHeap(parts: readonly tf.Tensor2D[]): tf.Tensor1D {
  const sums = heapTensor<tf.Rank.R1>([parts.reduce((total, { shape }) => total + shape[1], 0)]);
  heapValues(sums).fill(0);
  let [address] = sameRow(sums);
  for (const part of parts) {
    const [rows, width] = part.shape;
    addRows(rows, width, { x: rowsOf(part), to: [address, 0] }, {});
    address += 4 * width;
  }
  return sums;
}

/** One matrix of the columns of all parts, below zeros where it has more rows. */
function besideEachOther(parts: readonly tf.Tensor2D[], all: number): tf.Tensor2D {
  const [rows] = parts[0].shape;
  const width = parts.reduce((total, { shape }) => total + shape[1], 0);
  const joined = heapTensor<tf.Rank.R2>([all, width]);
  const above = (all - rows) * width;
  heapValues(joined).fill(0, 0, above);
  let address = heapAddress(joined) + 4 * above;
  for (const part of parts) {
    scaleRows(rows, part.shape[1], { x: rowsOf(part), to: [address, 4 * width] }, { scale: 1 });
    address += 4 * part.shape[1];
  }
  return joined;
}
