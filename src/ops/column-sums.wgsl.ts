/**
 * Column sums of a matrix, the gradient of a bias: rows are cut into chunks whose sums are added in order by a second
 * kernel, so that a narrow matrix of many rows still fills a GPU.
 */
import type * as tf from '@tensorflow/tfjs-core';
import { defineKernel, emptyTensor, foldedWorkgroups, runKernel } from '../gpu/kernel';
import { sumPartsKernel } from './matmul.wgsl';

/** Rows that one invocation adds up. */
const CHUNK = 64;

const kernel = defineKernel({
  name: 'column sums',
  inputs: { x: 'f32' },
  outputs: { sums: 'f32' },
  uniforms: { rows: 'u32', columns: 'u32' },
  workgroupSize: [64, 1, 1],
  body: `
    let column = group.x * 64u + lane;
    if (column >= uniforms.columns) { return; }
    let begin = group.y * ${CHUNK}u;
    let end = min(uniforms.rows, begin + ${CHUNK}u);
    var sum = 0.0;
    for (var row = begin; row < end; row++) { sum += x[row * uniforms.columns + column]; }
    sums[group.y * uniforms.columns + column] = sum;`,
});

/** @param x [rows, columns] @returns [columns] */
export function columnSumsFused(x: tf.Tensor2D): tf.Tensor1D {
  const [rows, columns] = x.shape;
  const chunks = Math.max(1, Math.ceil(rows / CHUNK));
  const sums = emptyTensor<tf.Rank.R1>([columns]);
  const parts = chunks === 1 ? sums : emptyTensor<tf.Rank.R2>([chunks, columns]);
  runKernel(kernel, {
    inputs: { x },
    outputs: { sums: parts },
    uniforms: { rows, columns },
    workgroups: [Math.ceil(columns / 64), chunks, 1],
  });
  if (parts === sums) return sums;
  runKernel(sumPartsKernel({ bias: false, residual: false }), {
    inputs: { parts },
    outputs: { result: sums },
    uniforms: { size: columns, count: chunks, width: columns },
    workgroups: foldedWorkgroups(Math.ceil(columns / 64)),
  });
  parts.dispose();
  return sums;
}
