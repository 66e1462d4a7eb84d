/** The matrices that products multiply by, as they are stored; `linear/` says what each format is. */
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

export type Weight = Float32Weight | Bfloat16Weight;
