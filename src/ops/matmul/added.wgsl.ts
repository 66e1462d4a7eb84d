/**
 * Terms added to a finished product: a residual of its shape, or a bias that is the same for every row. One binding and
 * a uniform cover a residual, a bias and neither, so each tile compiles once for all three cases. Only a product with
 * both compiles in a separate binding for the bias.
 */
import type * as tf from '@tensorflow/tfjs-core';

/** Flag for an added term, and its row stride in elements: 0 for a bias. */
export const ADDED_UNIFORMS = { adds: 'u32', added_stride: 'u32' } as const;

export interface Added {
  /** [columns] */
  bias?: tf.Tensor;
  /** [rows, columns] */
  residual?: tf.Tensor;
}

/** True if the kernel has a separate binding for the bias. */
export const addsBoth = ({ bias, residual }: Added): boolean => bias !== undefined && residual !== undefined;

export function addedInputs({ bias, residual }: Added): Record<string, tf.Tensor | null> {
  return { added: residual ?? bias ?? null, ...(addsBoth({ bias, residual }) ? { bias: bias! } : {}) };
}

export function addedUniforms({ bias, residual }: Added, columns: number): Record<string, number> {
  return { adds: residual || bias ? 1 : 0, added_stride: residual ? columns : 0 };
}
