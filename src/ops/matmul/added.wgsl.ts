/**
 * What is added to a finished product: a residual of its shape, or a bias, which is the same for every row. One binding and
 * a uniform serve both and neither, so that a tile is compiled once for all three; only where both are there at once is
 * the bias a binding of its own, and compiled in.
 */
import type * as tf from '@tensorflow/tfjs-core';

/** Whether anything is added, and the elements of `added` from one row to the next: 0 for a bias. */
export const ADDED_UNIFORMS = { adds: 'u32', added_stride: 'u32' } as const;

export interface Added {
  /** [columns] */
  bias?: tf.Tensor;
  /** [rows, columns] */
  residual?: tf.Tensor;
}

/** Whether the bias is compiled in. */
export const addsBoth = ({ bias, residual }: Added): boolean => bias !== undefined && residual !== undefined;

export function addedInputs({ bias, residual }: Added): Record<string, tf.Tensor | null> {
  return { added: residual ?? bias ?? null, ...(addsBoth({ bias, residual }) ? { bias: bias! } : {}) };
}

export function addedUniforms({ bias, residual }: Added, columns: number): Record<string, number> {
  return { adds: residual || bias ? 1 : 0, added_stride: residual ? columns : 0 };
}
