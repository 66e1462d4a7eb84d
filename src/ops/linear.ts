/**
 * y = scale * x Wᵀ + bias + residual, with W stored as in safetensors: [outputs, inputs], row by row.
 *
 * A weight is f32 (trainable or frozen), packed bf16 (two values per 32-bit word, straight from the file: element e
 * of the flattened matrix stands in word e >> 1, the even one in the low half), or int8 in groups along the inputs.
 * Frozen weights of several layers may share one tensor, each from a row of its own on.
 * Gradients: dx = scale * dy W, dW = scale * dyᵀ x, dbias = column sums of dy, dresidual = dy. Frozen weights get none.
 */
import * as tf from '@tensorflow/tfjs-core';
import { columnSums, turned } from './product';
import { linearFused } from './linear.wgsl';
import { expectShape, expectWeight } from './shape';
import { fused } from './twin';
import type { Bfloat16Weight, Int8Weight, Weight } from './weight';
import type { LinearOptions } from './linear.wgsl';

export type { LinearOptions } from './linear.wgsl';

/** @param x [rows, inputs] @returns [rows, outputs] */
export function linear(x: tf.Tensor2D, weight: Weight, options: LinearOptions = {}): tf.Tensor2D {
  expectWeight('linear', 'weight', weight);
  expectShape('linear', 'x', x, [-1, weight.inputs]);
  if (options.bias) expectShape('linear', 'bias', options.bias, [weight.outputs]);
  if (options.residual) expectShape('linear', 'residual', options.residual, [x.shape[0], weight.outputs]);
  return fused() ? linearFused(x, weight, options) : linearPlain(x, weight, options);
}

/** The plain twin. */
export function linearPlain(x: tf.Tensor2D, weight: Weight, options: LinearOptions = {}): tf.Tensor2D {
  const { bias, residual, scale = 1 } = options;
  const trainable = weight.format === 'f32' && weight.trainable;
  const inputs: tf.Tensor[] = [x];
  if (trainable) inputs.push(weight.data);
  if (bias) inputs.push(bias);
  if (residual) inputs.push(residual);
  const compute = tf.customGrad((...args) => {
    const save = args[args.length - 1] as unknown as tf.GradSaveFunc;
    save([x]);
    // wasm multiplies by a transposed operand slowly: turning the matrix first is cheaper
    let y: tf.Tensor = tf.matMul(x, turned(matrixOf(weight)));
    if (scale !== 1) y = tf.mul(y, scale);
    if (bias) y = tf.add(y, bias);
    if (residual) y = tf.add(y, residual);
    const gradFunc = (dy: tf.Tensor, [input]: tf.Tensor[]): tf.Tensor[] => {
      const scaled = (scale === 1 ? dy : tf.mul(dy, scale)) as tf.Tensor2D;
      const gradients: tf.Tensor[] = [tf.matMul(scaled, matrixOf(weight))];
      if (trainable) gradients.push(tf.matMul(turned(scaled), input));
      if (bias) gradients.push(columnSums(dy as tf.Tensor2D));
      if (residual) gradients.push(tf.clone(dy));
      return gradients;
    };
    return { value: y, gradFunc: (dy, saved) => gradFunc(dy, saved) };
  });
  return tf.tidy(() => compute(...inputs) as tf.Tensor2D);
}

/** [outputs, inputs] float32 */
export function matrixOf(weight: Weight): tf.Tensor2D {
  if (weight.format !== 'f32') return unpackWeight(weight);
  const { data, outputs, inputs, firstRow = 0 } = weight;
  return data.shape[0] === outputs ? data : tf.slice(data, [firstRow, 0], [outputs, inputs]);
}

/** A packed weight as f32 [outputs, inputs], in plain JavaScript: for the twins, never on a hot path. */
export function unpackWeight(weight: Bfloat16Weight | Int8Weight): tf.Tensor2D {
  const words = weight.data.dataSync();
  const count = weight.outputs * weight.inputs;
  const first = (weight.firstRow ?? 0) * weight.inputs;
  const values = new Float32Array(count);
  if (weight.format === 'bf16') {
    const bits = new Uint32Array(values.buffer);
    for (let i = 0; i < count; i++) {
      const e = first + i;
      bits[i] = e & 1 ? words[e >> 1] & 0xffff0000 : words[e >> 1] << 16;
    }
  } else {
    const scales = weight.scales.dataSync();
    const groups = Math.ceil(weight.inputs / weight.group);
    for (let i = 0; i < count; i++) {
      const e = first + i;
      const byte = (words[e >> 2] << (24 - 8 * (e & 3))) >> 24;
      const group = Math.floor((e % weight.inputs) / weight.group);
      values[i] = byte * scales[Math.floor(e / weight.inputs) * groups + group];
    }
  }
  return tf.tensor2d(values, [weight.outputs, weight.inputs]);
}
