/** WGSL kernels of `rmsNorm`: one workgroup per row, with partial sums added in a fixed order. */
import type * as tf from '@tensorflow/tfjs-core';
import type { Kernel } from '../../gpu/kernel';
import { defineKernel, emptyTensor, foldedWorkgroups, memoize, runKernel } from '../../gpu/kernel';
import { weightedColumnSums } from '../matmul/column-sums.wgsl';
import { differentiable } from '../lib/differentiable';
import { reducePartials, reduceThreads } from '../lib/reduce.wgsl';
import { adapterTraits } from '../matmul';

const partialsOf = (threads: number, name: string): string =>
  `var<workgroup> ${name}: array<f32, ${threads}>;`;

const forwardKernel = memoize((threads: number): Kernel =>
  defineKernel({
    name: 'rms norm',
    inputs: { x: 'f32', weight: 'f32' },
    outputs: { y: 'f32' },
    uniforms: { rows: 'u32', width: 'u32', epsilon: 'f32' },
    workgroupSize: [threads, 1, 1],
    declarations: partialsOf(threads, 'squares'),
    body: `
    let row = folded;
    let begin = min(row, uniforms.rows - 1u) * uniforms.width;
    var own = 0.0;
    for (var i = lane; i < uniforms.width; i += ${threads}u) { own += x[begin + i] * x[begin + i]; }
    squares[lane] = own;
    workgroupBarrier();
    var square = 0.0;
    ${reducePartials(threads, 'squares', '0u', 'square')}
    let inverse = inverseSqrt(square / f32(uniforms.width) + uniforms.epsilon);
    if (row >= uniforms.rows) { return; }
    for (var i = lane; i < uniforms.width; i += ${threads}u) { y[begin + i] = x[begin + i] * inverse * weight[i]; }`,
  }),
);

const backwardKernel = memoize((threads: number): Kernel =>
  defineKernel({
    name: 'rms norm backward',
    inputs: { x: 'f32', weight: 'f32', dy: 'f32' },
    outputs: { dx: 'f32', inverses: 'f32' },
    uniforms: { rows: 'u32', width: 'u32', epsilon: 'f32' },
    workgroupSize: [threads, 1, 1],
    declarations: partialsOf(threads, 'squares') + partialsOf(threads, 'products'),
    body: `
    let row = folded;
    let begin = min(row, uniforms.rows - 1u) * uniforms.width;
    var own = 0.0;
    var along = 0.0;
    for (var i = lane; i < uniforms.width; i += ${threads}u) {
      own += x[begin + i] * x[begin + i];
      along += dy[begin + i] * weight[i] * x[begin + i];
    }
    squares[lane] = own;
    products[lane] = along;
    workgroupBarrier();
    var square = 0.0;
    var product = 0.0;
    ${reducePartials(threads, 'squares', '0u', 'square')}
    ${reducePartials(threads, 'products', '0u', 'product')}
    let width = f32(uniforms.width);
    let inverse = inverseSqrt(square / width + uniforms.epsilon);
    let pull = inverse * inverse * product / width;
    if (row >= uniforms.rows) { return; }
    for (var i = lane; i < uniforms.width; i += ${threads}u) {
      dx[begin + i] = inverse * (dy[begin + i] * weight[i] - x[begin + i] * pull);
    }
    if (lane == 0u) { inverses[row] = inverse; }`,
  }),
);

export function rmsNormWgsl(x: tf.Tensor2D, weight: tf.Tensor1D, epsilon: number): tf.Tensor2D {
  const [rows, width] = x.shape;
  const uniforms = { rows, width, epsilon };
  const workgroups = foldedWorkgroups(rows);
  const threads = reduceThreads(adapterTraits());
  return differentiable([x, weight], () => {
    const y = emptyTensor<tf.Rank.R2>([rows, width]);
    runKernel(forwardKernel(threads), { inputs: { x, weight }, outputs: { y }, uniforms, workgroups });
    return {
      value: y,
      saved: [x, weight],
      gradient: (dy, [xSaved, weightSaved]) => {
        const dx = emptyTensor<tf.Rank.R2>([rows, width]);
        const inverses = emptyTensor<tf.Rank.R1>([rows]);
        runKernel(backwardKernel(threads), {
          inputs: { x: xSaved, weight: weightSaved, dy },
          outputs: { dx, inverses },
          uniforms,
          workgroups,
        });
        return [() => dx, () => weightedColumnSums(dy, xSaved as tf.Tensor2D, inverses)];
      },
    };
  });
}
