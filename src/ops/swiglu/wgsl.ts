/** WGSL kernels of `swiglu`, which read the joint product of gate and up: one forward, one for both gradients. */
import type * as tf from '@tensorflow/tfjs-core';
import { elementKernel, emptyTensor, runElements } from '../../gpu/kernel';
import type { JointProjection } from '../joint-linear/projection';
import { gatedLinearWgsl, jointLinearWgsl } from '../joint-linear/wgsl';
import { differentiable, recordsGradient } from '../lib/differentiable';
import { rowBlocks } from '../lib/row-blocks';
import { adapterTraits, storedMatrix } from '../matmul';

const forward = elementKernel({
  name: 'swiglu',
  inputs: { both: 'f32' },
  outputs: { y: 'f32' },
  uniforms: { width: 'u32' },
  body: `
    let g = both[i + (i / uniforms.width) * uniforms.width];
    y[i] = g / (1.0 + exp(-g)) * both[i + (i / uniforms.width + 1u) * uniforms.width];`,
});

const backward = elementKernel({
  name: 'swiglu backward',
  inputs: { both: 'f32', dy: 'f32' },
  outputs: { d_both: 'f32' },
  uniforms: { width: 'u32' },
  body: `
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
  const uniforms = { width };
  return differentiable([both], () => {
    const y = emptyTensor<tf.Rank.R2>([rows, width]);
    runElements(forward, y.size, { inputs: { both }, outputs: { y }, uniforms });
    return {
      value: y,
      saved: [both],
      gradient: (dy, [saved]) => [
        () => {
          const dBoth = emptyTensor<tf.Rank.R2>([rows, columns]);
          const inputs = { both: saved, dy };
          runElements(backward, dy.size, { inputs, outputs: { d_both: dBoth }, uniforms });
          return dBoth;
        },
      ],
    };
  });
}
