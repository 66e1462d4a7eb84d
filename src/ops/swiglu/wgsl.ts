/** WGSL kernels of `swiglu`, which read the joint product of gate and up: one forward, one for both gradients. */
import type * as tf from '@tensorflow/tfjs-core';
import { defineKernel, emptyTensor, foldedWorkgroups, runKernel } from '../../gpu/kernel';
import type { JointProjection } from '../joint-linear/projection';
import { gatedLinearWgsl, jointLinearWgsl } from '../joint-linear/wgsl';
import { differentiable, recordsGradient } from '../lib/differentiable';
import { rowBlocks } from '../lib/row-blocks';
import { adapterTraits, storedMatrix } from '../matmul';

const index = `
  let i = (group.y * groups.x + group.x) * 64u + lane;
  if (i >= uniforms.size) { return; }`;

const forward = defineKernel({
  name: 'swiglu',
  inputs: { both: 'f32' },
  outputs: { y: 'f32' },
  uniforms: { size: 'u32', width: 'u32' },
  workgroupSize: [64, 1, 1],
  body: `${index}
    let g = both[i + (i / uniforms.width) * uniforms.width];
    y[i] = g / (1.0 + exp(-g)) * both[i + (i / uniforms.width + 1u) * uniforms.width];`,
});

const backward = defineKernel({
  name: 'swiglu backward',
  inputs: { both: 'f32', dy: 'f32' },
  outputs: { d_both: 'f32' },
  uniforms: { size: 'u32', width: 'u32' },
  workgroupSize: [64, 1, 1],
  body: `${index}
    let gate = i + (i / uniforms.width) * uniforms.width;
    let up = gate + uniforms.width;
    let g = both[gate];
    let s = 1.0 / (1.0 + exp(-g));
    d_both[gate] = dy[i] * both[up] * s * (1.0 + g * (1.0 - s));
    d_both[up] = dy[i] * g * s;`,
});

export function swigluWgsl(x: tf.Tensor2D, gateUp: JointProjection): tf.Tensor2D {
  const canFuse =
    gateUp.bias === null && rowBlocks(storedMatrix(gateUp.weight), adapterTraits()).length === 1;
  // only the gradient needs both
  return canFuse && !recordsGradient() ? gatedLinearWgsl(x, gateUp) : gatedBoth(jointLinearWgsl(x, gateUp));
}

/** @param both [rows, 2 width]: gate, then up @returns [rows, width] */
export function gatedBoth(both: tf.Tensor2D): tf.Tensor2D {
  const [rows, columns] = both.shape;
  const width = columns / 2;
  const uniforms = { size: rows * width, width };
  const workgroups = foldedWorkgroups(Math.ceil((rows * width) / 64));
  return differentiable([both], () => {
    const y = emptyTensor<tf.Rank.R2>([rows, width]);
    runKernel(forward, { inputs: { both }, outputs: { y }, uniforms, workgroups });
    return {
      value: y,
      saved: [both],
      gradient: (dy, [saved]) => [
        () => {
          const dBoth = emptyTensor<tf.Rank.R2>([rows, columns]);
          const inputs = { both: saved, dy };
          runKernel(backward, { inputs, outputs: { d_both: dBoth }, uniforms, workgroups });
          return dBoth;
        },
      ],
    };
  });
}
