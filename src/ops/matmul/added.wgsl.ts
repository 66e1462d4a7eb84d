/**
 * Terms added to a finished product: a residual of its shape, or a bias that is the same for every row. One binding and
 * a uniform cover a residual, a bias and neither, so each tile compiles once for all three cases.
 */
import type * as tf from '@tensorflow/tfjs-core';

/** Flag for an added term, and its row stride in elements: 0 for a bias. */
export const ADDED_UNIFORMS = { adds: 'u32', added_stride: 'u32' } as const;

/** At most one of the two. */
export interface Added {
  /** [columns] */
  bias?: tf.Tensor;
  /** [rows, columns] */
  residual?: tf.Tensor;
}

export const addedInputs = ({ bias, residual }: Added): Record<string, tf.Tensor | null> => ({
  added: residual ?? bias ?? null,
});

export function addedUniforms({ bias, residual }: Added, columns: number): Record<string, number> {
  return { adds: residual || bias ? 1 : 0, added_stride: residual ? columns : 0 };
}
