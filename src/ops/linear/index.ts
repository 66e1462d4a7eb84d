/**
 * y = scale * x Wᵀ + bias + residual, with W stored as in safetensors: [outputs, inputs], row-major.
 *
 * A weight is f32 (trainable or frozen) or packed bf16. Packed bf16 has two values per 32-bit word, directly from the
 * file: element e of the flattened matrix is in word e >> 1, with even elements in the low half. Gradients: dx = scale
 * * dy W, dW = scale * dyᵀ x, dbias = column sums of dy, dresidual = dy. Frozen weights get none.
 */
import * as tf from '@tensorflow/tfjs-core';
import { implementations } from '../../gpu/implementations';
import { differentiable } from '../lib/differentiable';
import { columnSums, transpose } from '../lib/product';
import type { LinearOptions } from './wgsl';
import { expectShape, expectWeight } from '../lib/shape';
import type { Bfloat16Weight, Weight } from '../lib/weight';

const implementation = implementations({
  reference: linearReference,
  wasm: async () => (await import('./wasm')).linearWasm,
  wgsl: async () => (await import('./wgsl')).linearWgsl,
});

export type { LinearOptions } from './wgsl';

/** @param x [rows, inputs] @returns [rows, outputs] */
export function linear(x: tf.Tensor2D, weight: Weight, options: LinearOptions = {}): tf.Tensor2D {
  expectWeight('linear', 'weight', weight);
  expectShape('linear', 'x', x, [-1, weight.inputs]);
  if (options.bias) expectShape('linear', 'bias', options.bias, [weight.outputs]);
  if (options.residual) expectShape('linear', 'residual', options.residual, [x.shape[0], weight.outputs]);
  return implementation.current(x, weight, options);
}

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
