/** The matrices that products multiply by, as they are stored; `linear.ts` says what each format is. */
import type * as tf from '@tensorflow/tfjs-core';

interface MatrixPlace {
  outputs: number;
  inputs: number;
  /** The row of `data` that is row 0 of this matrix; 0 when absent. */
  firstRow?: number;
}

export interface Float32Weight extends MatrixPlace {
  format: 'f32';
  /** [outputs, inputs] float32, or more rows where others are stored beside */
  data: tf.Tensor2D;
  /** Whether gradients flow into `data`. */
  trainable: boolean;
}

export interface Bfloat16Weight extends MatrixPlace {
  format: 'bf16';
  /** [ceil(rows * inputs / 2)] int32, each two bf16 values */
  data: tf.Tensor1D;
}

export interface Int8Weight extends MatrixPlace {
  format: 'int8';
  /** [ceil(rows * inputs / 4)] int32, each four signed bytes, the first in the low byte */
  data: tf.Tensor1D;
  /** [rows * ceil(inputs / group)] float32: value = byte * scale of its group */
  scales: tf.Tensor1D;
  /** Values along the inputs that share a scale. */
  group: number;
}

export type Weight = Float32Weight | Bfloat16Weight | Int8Weight;
