/** WGSL kernels of `linear`: one forward, and one for each requested gradient. */
import * as tf from '@tensorflow/tfjs-core';
import { columnSumsWgsl } from '../matmul/column-sums.wgsl';
import { differentiable } from '../lib/differentiable';
import type { StoredMatrix } from '../matmul';
import { matrixProduct } from '../matmul';
import type { Weight } from '../lib/weight';

export interface LinearOptions {
  /** [outputs] */
  bias?: tf.Tensor1D;
  /** [rows, outputs], added to the product */
  residual?: tf.Tensor2D;
  /** Factor on the product only. Default 1. */
  scale?: number;
}

/** A weight as the second factor of a product. */
export function storedMatrix(weight: Weight): StoredMatrix {
  const { format, data, outputs, inputs } = weight;
  return { format, data, rows: outputs, columns: inputs };
}

export function linearWgsl(x: tf.Tensor2D, weight: Weight, options: LinearOptions): tf.Tensor2D {
  const { bias, residual, scale = 1 } = options;
  const trainable = weight.format === 'f32' && weight.trainable;
  const matrix = storedMatrix(weight);
  const inputs: tf.Tensor[] = [x];
  if (trainable) inputs.push(weight.data);
  if (bias) inputs.push(bias);
  if (residual) inputs.push(residual);
  return differentiable(inputs, () => ({
    value: matrixProduct('nt', x, matrix, { bias, residual, scale }),
    saved: trainable ? [x] : [],
    gradient: (dy, [input]) => {
      const gradients: (() => tf.Tensor)[] = [() => matrixProduct('nn', dy, matrix, { scale })];
      if (trainable) {
        const factor = (): StoredMatrix => ({
          format: 'f32',
          data: input,
          rows: input.shape[0],
          columns: weight.inputs,
        });
        gradients.push(() => matrixProduct('tn', dy, factor(), { scale }));
      }
      if (bias) gradients.push(() => columnSumsWgsl(dy));
      if (residual) gradients.push(() => tf.clone(dy));
      return gradients;
    },
  }));
}
