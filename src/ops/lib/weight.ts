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

/**
 * Whether products of a policy with this weight may use fused multiply-add (FMA) on wasm: of float32 models alone the bits
 * are the same on every machine.
 */
export const allowsFma = ({ format }: Weight): boolean => format === 'bf16';
