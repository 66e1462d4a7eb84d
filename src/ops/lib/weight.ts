/**
 * Weight matrices as safetensors stores them, [outputs, inputs] in row-major order: f32 (trainable or frozen) or packed
 * bf16 (frozen). Packed bf16 has two values per 32-bit word, directly from the file: element e of the flattened matrix
 * is in word e >> 1, with even elements in the low half.
 */
import type * as tf from '@tensorflow/tfjs-core';

interface MatrixSize {
  outputs: number;
  inputs: number;
}

export interface Float32Weight extends MatrixSize {
  format: 'f32';
  /** [outputs, inputs] float32 */
  data: tf.Tensor2D;
  /** True if `data` receives gradients. */
  trainable: boolean;
}

export interface Bfloat16Weight extends MatrixSize {
  format: 'bf16';
  /** [ceil(outputs * inputs / 2)] int32, two bf16 values per element */
  data: tf.Tensor1D;
}

export type Weight = Float32Weight | Bfloat16Weight;

/**
 * True if products of a policy with this weight may use fused multiply-add (FMA) on wasm. Only float32 models guarantee
 * the same bits on every machine, so only bf16 weights allow FMA.
 */
export const allowsFma = ({ format }: Weight): boolean => format === 'bf16';
