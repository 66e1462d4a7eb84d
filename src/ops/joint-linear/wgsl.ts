/** WGSL kernels of `jointLinear`: one forward, two with an adapter, and one to five for all gradients. */
import * as tf from '@tensorflow/tfjs-core';
import { differentiable } from '../lib/differentiable';
import type { Weight } from '../lib/weight';
import { columnSumsWgsl } from '../matmul/column-sums.wgsl';
import { lowRankInnerGradient, lowRankOuterGradient } from '../matmul/low-rank-gradient.wgsl';
import { matrixProduct, storedMatrix, type StoredMatrix } from '../matmul';
import type { JointAdapter, JointProjection } from './projection';

interface Added {
  bias?: tf.Tensor1D;
  residual?: tf.Tensor2D;
}

export function jointLinearWgsl(x: tf.Tensor2D, joint: JointProjection, residual?: tf.Tensor2D): tf.Tensor2D {
  const { segments, weight, adapter } = joint;
  const bias = joint.bias ?? undefined;
  if (!adapter) return withoutAdapter(x, weight, { bias, residual });
  return withAdapter(x, weight, adapter, segments, { bias, residual });
}

/**
 * silu of the first of two projections times the second, [rows, segment]. Without a gradient and without biases, for a
 * weight that is bound whole.
 */
export function gatedLinearWgsl(x: tf.Tensor2D, joint: JointProjection): tf.Tensor2D {
  const { segments, weight, adapter } = joint;
  return tf.tidy(() => {
    const lowRank = adapter && {
      inner: matrixProduct('nt', x, storedMatrix(adapter.a)),
      outer: adapter.b,
      scale: adapter.scale,
      segments,
    };
    return matrixProduct('nt', x, storedMatrix(weight), { gated: true, ...(lowRank && { lowRank }) });
  });
}

function withoutAdapter(x: tf.Tensor2D, weight: Weight, { bias, residual }: Added): tf.Tensor2D {
  const trainable = weight.format === 'f32' && weight.trainable;
  const matrix = storedMatrix(weight);
  const inputs: tf.Tensor[] = [x];
  if (trainable) inputs.push(weight.data);
  if (bias) inputs.push(bias);
  if (residual) inputs.push(residual);
  return differentiable(inputs, () => ({
    value: matrixProduct('nt', x, matrix, { bias, residual }),
    saved: trainable ? [x] : [],
    gradient: (dy, [input]) => {
      const gradients: (() => tf.Tensor)[] = [() => matrixProduct('nn', dy, matrix)];
      if (trainable) {
        const factor = (): StoredMatrix => ({
          format: 'f32',
          data: input,
          rows: input.shape[0],
          columns: weight.inputs,
        });
        gradients.push(() => matrixProduct('tn', dy, factor()));
      }
      if (bias) gradients.push(() => columnSumsWgsl(dy));
      if (residual) gradients.push(() => tf.clone(dy));
      return gradients;
    },
  }));
}

function withAdapter(
  x: tf.Tensor2D,
  weight: Weight,
  { a, b, scale }: JointAdapter,
  segments: readonly number[],
  { bias, residual }: Added,
): tf.Tensor2D {
  const matrix = storedMatrix(weight);
  return differentiable([x, a.data, b, ...(residual ? [residual] : [])], () => {
    const inner = matrixProduct('nt', x, storedMatrix(a));
    const lowRank = { inner, outer: b, scale, segments };
    return {
      value: matrixProduct('nt', x, matrix, { bias, residual, lowRank }),
      saved: [x, inner],
      gradient: (dy, [input, savedInner]) => {
        const saved = { ...lowRank, inner: savedInner as tf.Tensor2D };
        const dInner = lowRankInnerGradient(dy, saved);
        const factor: StoredMatrix = { format: 'f32', data: input, rows: input.shape[0], columns: a.inputs };
        return [
          () => {
            const through = matrixProduct('nn', dy, matrix);
            const dx = matrixProduct('nn', dInner, storedMatrix(a), { residual: through });
            through.dispose();
            return dx;
          },
          () => matrixProduct('tn', dInner, factor),
          () => lowRankOuterGradient(dy, saved),
          () => dy.clone(),
        ];
      },
    };
  });
}
