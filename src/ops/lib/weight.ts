/** The matrices that products multiply by, as they are stored; `linear.ts` says what each format is. */
import type * as tf from '@tensorflow/tfjs-core';

interface MatrixSize {
  outputs: number;
  inputs: number;
}

export interface Float32Weight extends MatrixSize {
  format: 'f32';
  /** [outputs, inputs] float32 */
  data: tf.Tensor2D;
  /** Whether gradients flow into `data`. */
  trainable: boolean;
}

export interface Bfloat16Weight extends MatrixSize {
  format: 'bf16';
  /** [ceil(outputs * inputs / 2)] int32, each two bf16 values */
  data: tf.Tensor1D;
}

export interface Int8Weight extends MatrixSize {
  format: 'int8';
  /** [ceil(outputs * inputs / 4)] int32, each four signed bytes, the first in the low byte */
  data: tf.Tensor1D;
  /** [outputs * ceil(inputs / group)] float32: value = byte * scale of its group */
  scales: tf.Tensor1D;
  /** Values along the inputs that share a scale. */
  group: number;
}

export type Weight = Float32Weight | Bfloat16Weight | Int8Weight;
