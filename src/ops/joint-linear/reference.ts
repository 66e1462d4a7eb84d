/** The reference implementation of `jointLinear`: one projection after the other. */
import * as tf from '@tensorflow/tfjs-core';
import { differentiable } from '../lib/differentiable';
import { columnSums, transpose } from '../lib/product';
import type { Bfloat16Weight, Float32Weight, Weight } from '../lib/weight';
import type { JointProjection } from './projection';

interface LinearOptions {
  /** [outputs] */
  bias?: tf.Tensor1D;
  /** [rows, outputs], added to the product */
  residual?: tf.Tensor2D;
  /** Factor on the product only. Default 1. */
  scale?: number;
}

/** y = scale * x Wᵀ + bias + residual */
export function linearReference(x: tf.Tensor2D, weight: Weight, options: LinearOptions = {}): tf.Tensor2D {
  const { bias, residual, scale = 1 } = options;
  const trainable = weight.format === 'f32' && weight.trainable;
  const inputs: tf.Tensor[] = [x];
  if (trainable) inputs.push(weight.data);
  if (bias) inputs.push(bias);
  if (residual) inputs.push(residual);
  return differentiable(inputs, () => {
    // wasm multiplies by a transposed operand slowly: an explicit transpose is cheaper
    const matrix = matrixOf(weight);
    let y: tf.Tensor2D = tf.matMul(x, transpose(matrix));
    if (scale !== 1) y = tf.mul(y, scale);
    if (bias) y = tf.add(y, bias);
    if (residual) y = tf.add(y, residual);
    return {
      value: y,
      saved: trainable ? [matrix, x] : [matrix],
      gradient: (dy, [factor, input]) => {
        const scaled: tf.Tensor2D = scale === 1 ? dy : tf.mul(dy, scale);
        const gradients: (() => tf.Tensor)[] = [() => tf.matMul(scaled, factor)];
        if (trainable) gradients.push(() => tf.matMul(transpose(scaled), input));
        if (bias) gradients.push(() => columnSums(dy));
        if (residual) gradients.push(() => tf.clone(dy));
        return gradients;
      },
    };
  });
}

/** [outputs, inputs] float32 */
export function matrixOf(weight: Weight): tf.Tensor2D {
  return weight.format === 'f32' ? weight.data : unpackWeight(weight);
}

/**
 * Unpacks a weight to f32 [outputs, inputs] in plain JavaScript, for the reference implementations only. Too slow for a
 * hot path.
 */
export function unpackWeight(weight: Bfloat16Weight): tf.Tensor2D {
  const words = weight.data.dataSync();
  const count = weight.outputs * weight.inputs;
  const values = new Float32Array(count);
  const bits = new Uint32Array(values.buffer);
  for (let e = 0; e < count; e++) bits[e] = e & 1 ? words[e >> 1] & 0xffff0000 : words[e >> 1] << 16;
  return tf.tensor2d(values, [weight.outputs, weight.inputs]);
}

/** Outputs of each projection as separate tensors: [rows, segment]. */
export function linearPartsReference(
  x: tf.Tensor2D,
  joint: JointProjection,
  residual?: tf.Tensor2D,
): tf.Tensor2D[] {
  const { segments, weight, bias, adapter } = joint;
  const cut = <T extends tf.Tensor>(whole: T, sizes: readonly number[], axis = 0): T[] =>
    sizes.length === 1 ? [whole] : tf.split<T>(whole, [...sizes], axis);
  const ranks = adapter ? segments.map(() => adapter.b.shape[1]) : [];
  const float32 = (data: tf.Tensor2D, trainable: boolean): Float32Weight => {
    const [outputs, inputs] = data.shape;
    return { format: 'f32', data, outputs, inputs, trainable };
  };
  const trainable = weight.format === 'f32' && weight.trainable && !adapter;
  const matrices = cut(matrixOf(weight), segments);
  const biases = bias && cut(bias, segments);
  const residuals = residual && cut(residual, segments, 1);
  const inner = adapter && cut(adapter.a.data, ranks);
  const outer = adapter && cut(adapter.b, segments);
  return matrices.map((matrix, i) => {
    const base = linearReference(x, float32(matrix, trainable), {
      bias: biases?.[i],
      residual: residuals?.[i],
    });
    if (!inner || !outer) return base;
    const low = linearReference(x, float32(inner[i], true));
    return linearReference(low, float32(outer[i], true), { scale: adapter.scale, residual: base });
  });
}

export function jointLinearReference(
  x: tf.Tensor2D,
  joint: JointProjection,
  residual?: tf.Tensor2D,
): tf.Tensor2D {
  return tf.tidy(() => concatColumns(linearPartsReference(x, joint, residual)));
}

/** Concatenates the columns of all parts. */
export function concatColumns(parts: tf.Tensor2D[]): tf.Tensor2D {
  return parts.length === 1 ? parts[0] : tf.concat(parts, 1);
}
