/**
 * Column sums of a matrix: the gradients of a bias and of a norm's weight. Rows are split into chunks, and a second
 * kernel adds the chunks' sums in order. A narrow matrix with many rows therefore still fills a GPU.
 */
import type * as tf from '@tensorflow/tfjs-core';
import type { Kernel, KernelRun, KernelSource } from '../../gpu/kernel';
import { defineKernel, elementKernel, emptyTensor, memoize, runElements, runKernel } from '../../gpu/kernel';

/** Rows per invocation. */
const CHUNK = 64;

/** Sums `term`, a WGSL expression in `row` and the element index `i`. */
function columnSumsKernel(name: string, inputs: KernelSource['inputs'], term: string): Kernel {
  return defineKernel({
    name,
    inputs,
    outputs: { sums: 'f32' },
    uniforms: { rows: 'u32', columns: 'u32' },
    workgroupSize: [64, 1, 1],
    body: `
      let column = group.x * 64u + lane;
      if (column >= uniforms.columns) { return; }
      let begin = group.y * ${CHUNK}u;
      let end = min(uniforms.rows, begin + ${CHUNK}u);
      var sum = 0.0;
      for (var row = begin; row < end; row++) {
        let i = row * uniforms.columns + column;
        sum += ${term};
      }
      sums[group.y * uniforms.columns + column] = sum;`,
  });
}

const unweighted = columnSumsKernel('column sums', { x: 'f32' }, 'x[i]');
const weighted = columnSumsKernel(
  'weighted column sums',
  { x: 'f32', y: 'f32', factors: 'f32' },
  'x[i] * y[i] * factors[row]',
);

/** @param x [rows, columns] @returns [columns] */
export function columnSumsWgsl(x: tf.Tensor2D): tf.Tensor1D {
  return run(unweighted, { x }, x.shape);
}

/** sum over rows of x * y * factors. @param factors [rows] @returns [columns] */
export function weightedColumnSums(x: tf.Tensor2D, y: tf.Tensor2D, factors: tf.Tensor1D): tf.Tensor1D {
  return run(weighted, { x, y, factors }, x.shape);
}

function run(kernel: Kernel, inputs: KernelRun['inputs'], [rows, columns]: [number, number]): tf.Tensor1D {
  const chunks = Math.max(1, Math.ceil(rows / CHUNK));
  const sums = emptyTensor<tf.Rank.R1>([columns]);
  const parts = chunks === 1 ? sums : emptyTensor<tf.Rank.R2>([chunks, columns]);
  runKernel(kernel, {
    inputs,
    outputs: { sums: parts },
    uniforms: { rows, columns },
    workgroups: [Math.ceil(columns / 64), chunks, 1],
  });
  if (parts === sums) return sums;
  const uniforms = { count: chunks };
  runElements(sumPartsKernel(false), columns, { inputs: { parts }, outputs: { result: sums }, uniforms });
  parts.dispose();
  return sums;
}

/** Adds the parts of a split contraction: result[i] = residual[i], if any, + sum over parts p, in order, of parts[p * size + i]. */
export const sumPartsKernel = memoize((residual: boolean): Kernel =>
  elementKernel({
    name: 'sum parts',
    inputs: { parts: 'f32', ...(residual ? { residual: 'f32' } : {}) },
    outputs: { result: 'f32' },
    uniforms: { count: 'u32' },
    body: `
      var sum = 0.0;
      for (var p = 0u; p < uniforms.count; p++) { sum += parts[p * uniforms.size + i]; }
      ${residual ? 'sum += residual[i];' : ''}
      result[i] = sum;`,
  }),
);
