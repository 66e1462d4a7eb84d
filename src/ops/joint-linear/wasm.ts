/**
 * Projections of one input on wasm, in the memory of tfjs's backend. Each projection multiplies by its rows of the
 * joint weight in place and transposes them while reading. Its gradients are written to the same rows.
 */
import * as tf from '@tensorflow/tfjs-core';
import { heapAddress, heapTensor, heapValues } from '../../gpu/wasm-heap';
import { together } from '../../gpu/wasm-kernels';
import { computedTogether, differentiable, savedInput } from '../lib/differentiable';
import { rowsOf, runRows, sameRow, type Rows } from '../lib/row-kernel';
import { allowsFma, type Weight } from '../lib/weight';
import { multiplyWasm, strided, transposed, type Strided } from '../matmul/wasm';
import type { JointProjection } from './projection';

/** A matrix from a row on. */
const fromRow = (tensor: tf.Tensor, row: number): Strided => {
  const width = tensor.shape[1]!;
  return strided(heapAddress(tensor) + 4 * row * width, width);
};
const whole = (tensor: tf.Tensor): Strided => fromRow(tensor, 0);
const weightFromRow = (data: tf.Tensor, { inputs, format }: Weight, row: number): Strided => {
  const isHalf = format === 'bf16';
  const step = isHalf ? 2 : 4;
  return { at: heapAddress(data) + step * row * inputs, row: step * inputs, step, next: 0, isHalf };
};

/** C = A Wᵀ. @param a [rows, inputs] @param c [rows, outputs] */
export function multiplyByTransposed(a: tf.Tensor2D, weight: Weight, c: tf.Tensor2D): void {
  const { outputs, inputs, data } = weight;
  const b = weightFromRow(data, weight, 0);
  multiplyWasm(whole(a), transposed(b), whole(c), [a.shape[0], outputs, inputs]);
}

/** C = A W. @param a [rows, outputs] @param c [rows of a from `row` on, inputs] */
export function multiplyByWeight(a: tf.Tensor2D, weight: Weight, c: tf.Tensor2D, row = 0): void {
  const { outputs, inputs, data } = weight;
  multiplyWasm(whole(a), weightFromRow(data, weight, 0), fromRow(c, row), [a.shape[0], inputs, outputs]);
}

/** C += Aᵀ B. @param a [rows, outputs] @param b [rows from `row` on, inputs] @param c [outputs, inputs] */
export function addTransposedProduct(a: tf.Tensor2D, b: tf.Tensor2D, c: tf.Tensor2D, row = 0): void {
  const [rows, outputs] = a.shape;
  const from = rowsOf(c);
  multiplyWasm(transposed(whole(a)), fromRow(b, row), whole(c), [outputs, c.shape[1], rows], { from });
}

function scaleInPlace(tensor: tf.Tensor2D, factor: number): void {
  if (factor !== 1)
    runRows('scaleRows', tensor.shape[0], tensor.shape[1], [rowsOf(tensor), rowsOf(tensor)], [factor]);
}

export function jointLinearWasm(x: tf.Tensor2D, joint: JointProjection, residual?: tf.Tensor2D): tf.Tensor2D {
  const parts = linearPartsWasm(x, joint, residual);
  return parts.length === 1 ? parts[0] : tf.tidy(() => tf.concat(parts, 1));
}

/**
 * @param x [rows, inputs]
 * @param residual [rows or more, sum of segments]; its last rows are added, instead of a bias
 * @param skipped leading rows that the first projection omits; its output is shorter by this number
 * @returns the outputs of each projection: [rows, segment]
 */
export function linearPartsWasm(
  x: tf.Tensor2D,
  { segments, weight, bias, adapter }: JointProjection,
  residual?: tf.Tensor2D,
  skipped = 0,
): tf.Tensor2D[] {
  const [all, width] = x.shape;
  const trainable = weight.format === 'f32' && weight.trainable && !adapter;
  /** First input row of a projection. */
  const firstOf = (i: number): number => (i === 0 ? skipped : 0);
  const rowsFor = (i: number): number => all - firstOf(i);
  const fma = allowsFma(weight);
  const rank = adapter ? adapter.b.shape[1] : 0;
  const firsts = segments.map((_, i) => segments.slice(0, i).reduce((sum, size) => sum + size, 0));
  const inputs: tf.Tensor[] = [x];
  if (trainable) inputs.push(weight.data);
  if (bias) inputs.push(bias);
  if (residual) inputs.push(residual);
  if (adapter) inputs.push(adapter.a.data, adapter.b);

  /** adapter.scale * x Aᵀ: [rows, rank] */
  const lowOf = (i: number): tf.Tensor2D => {
    const rows = rowsFor(i);
    const low = heapTensor<tf.Rank.R2>([rows, rank]);
    const a = fromRow(adapter!.a.data, i * rank);
    multiplyWasm(fromRow(x, firstOf(i)), transposed(a), whole(low), [rows, rank, width], { fma });
    scaleInPlace(low, adapter!.scale);
    return low;
  };
  const project = (y: tf.Tensor2D, i: number): void => {
    const [rows, size] = y.shape;
    const ofSegment = ([address, stride]: Rows, row = 0): Rows => [
      address + row * stride + 4 * firsts[i],
      stride,
    ];
    const from = bias
      ? ofSegment(sameRow(bias))
      : residual && ofSegment(rowsOf(residual), residual.shape[0] - all);
    const b = weightFromRow(weight.data, weight, firsts[i]);
    multiplyWasm(fromRow(x, firstOf(i)), transposed(b), whole(y), [rows, size, width], { from });
  };

  return differentiable<tf.Tensor2D[]>(inputs, () => {
    const values = segments.map((size, i) => heapTensor<tf.Rank.R2>([rowsFor(i), size]));
    together(() => values.forEach(project));
    const lows = adapter ? segments.map((_, i) => lowOf(i)) : [];
    const lowCount = lows.length;
    if (adapter) {
      together(() =>
        values.forEach((y, i) => {
          const b = transposed(fromRow(adapter.b, firsts[i]));
          const from = rowsOf(y);
          multiplyWasm(whole(lows[i]), b, whole(y), [y.shape[0], segments[i], rank], { from, fma });
        }),
      );
    }
    // Only gradients of trained matrices read the input.
    const { sources, compute } = adapter || trainable ? savedInput(x) : { sources: [], compute: () => x };
    return {
      value: values,
      saved: [weight.data, ...(adapter ? [adapter.a.data, adapter.b, ...lows] : []), ...sources],
      gradient: (given, [factor, ...others]) => {
        const [a, b, ...lows] = adapter ? others.slice(0, 2 + lowCount) : [];
        const input = (): tf.Tensor => compute(others.slice(adapter ? 2 + lowCount : 0));
        const dys = [given].flat(); // tfjs passes a single gradient without an array
        /** Gradient with respect to x Aᵀ: [rows, rank] */
        const dLowOf = (dy: tf.Tensor2D, i: number): tf.Tensor2D => {
          const rows = rowsFor(i);
          const d = heapTensor<tf.Rank.R2>([rows, rank]);
          multiplyWasm(whole(dy), fromRow(b, firsts[i]), whole(d), [rows, rank, segments[i]], { fma });
          scaleInPlace(d, adapter!.scale);
          return d;
        };
        const byInput = (dLows: readonly tf.Tensor2D[]): tf.Tensor2D => {
          const dx = heapTensor<tf.Rank.R2>(x.shape);
          let isAdded = false;
          const add = (d: tf.Tensor2D, by: Strided): void => {
            const to = fromRow(dx, all - d.shape[0]);
            const from: Rows | undefined = isAdded ? [to.at, to.row] : undefined;
            multiplyWasm(whole(d), by, to, [d.shape[0], width, d.shape[1]], { from, fma });
            isAdded = true;
          };
          // in reverse: the first projection may have fewer rows, and the first write must cover all rows
          for (let i = dys.length - 1; i >= 0; i--) add(dys[i], weightFromRow(factor, weight, firsts[i]));
          for (let i = dLows.length - 1; i >= 0; i--) add(dLows[i], fromRow(a, i * rank));
          return dx;
        };
        const byA = (dLows: readonly tf.Tensor2D[]): tf.Tensor2D => {
          const d = heapTensor<tf.Rank.R2>(a.shape as [number, number]);
          const states = input();
          dLows.forEach((dLow, i) => {
            const to = fromRow(d, i * rank);
            const sizes = [rank, width, rowsFor(i)] as const;
            multiplyWasm(transposed(whole(dLow)), fromRow(states, firstOf(i)), to, sizes, { fma });
          });
          return d;
        };
        const [dx, dA] = computedTogether(adapter ? 2 : 1, () => {
          const dLows = adapter ? dys.map(dLowOf) : [];
          return adapter ? [byInput(dLows), byA(dLows)] : [byInput([])];
        });
        const gradients: (() => tf.Tensor)[] = [dx];
        if (trainable) {
          gradients.push(() => {
            const d = heapTensor<tf.Rank.R2>([weight.outputs, weight.inputs]);
            const states = input();
            dys.forEach((dy, i) => {
              const to = fromRow(d, firsts[i]);
              const sizes = [segments[i], width, rowsFor(i)] as const;
              multiplyWasm(transposed(whole(dy)), fromRow(states, firstOf(i)), to, sizes);
            });
            return d;
          });
        }
        if (bias) gradients.push(() => columnSumsWasm(dys));
        if (residual) gradients.push(() => joinColumns(dys, residual.shape[0]));
        if (adapter) {
          gradients.push(dA, () => {
            const d = heapTensor<tf.Rank.R2>(adapter.b.shape);
            dys.forEach((dy, i) => {
              const sizes = [segments[i], rank, rowsFor(i)] as const;
              multiplyWasm(transposed(whole(dy)), whole(lows[i]), fromRow(d, firsts[i]), sizes, { fma });
            });
            return d;
          });
        }
        return gradients;
      },
    };
  });
}

/** Column sums of all parts, concatenated: a product with a row of ones. */
function columnSumsWasm(parts: readonly tf.Tensor2D[]): tf.Tensor1D {
  const sums = heapTensor<tf.Rank.R1>([parts.reduce((total, { shape }) => total + shape[1], 0)]);
  const one = tf.ones([1]);
  const ones = { at: heapAddress(one), row: 0, step: 0, next: 0 };
  let address = heapAddress(sums);
  for (const part of parts) {
    const [rows, width] = part.shape;
    multiplyWasm(ones, whole(part), strided(address, width), [1, width, rows]);
    address += 4 * width;
  }
  one.dispose();
  return sums;
}

/** Concatenates the columns of all parts. Shorter parts are padded with zeros at the top. */
function joinColumns(parts: readonly tf.Tensor2D[], all: number): tf.Tensor2D {
  const [rows] = parts[0].shape;
  if (parts.length === 1 && rows === all) return tf.clone(parts[0]);
  const width = parts.reduce((total, { shape }) => total + shape[1], 0);
  const joined = heapTensor<tf.Rank.R2>([all, width]);
  const above = (all - rows) * width;
  heapValues(joined).fill(0, 0, above);
  let address = heapAddress(joined) + 4 * above;
  for (const part of parts) {
    runRows('scaleRows', rows, part.shape[1], [rowsOf(part), [address, 4 * width]], [1]);
    address += 4 * part.shape[1];
  }
  return joined;
}
