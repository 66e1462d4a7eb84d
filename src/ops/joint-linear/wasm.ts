/** `jointLinear` on wasm: one projection after the other, each in place of its rows of the weight. */
import * as tf from '@tensorflow/tfjs-core';
import { projectWasm } from '../linear/wasm';
import type { JointProjection } from './projection';
import { concatColumns } from './reference';

/**
 * Outputs of each projection as separate tensors: [rows, segment].
 *
 * @param residual [rows or more, sum of segments]; its last rows are added
 * @param skipped leading rows that the first projection omits
 */
export function linearPartsWasm(
  x: tf.Tensor2D,
  { adapter, ...joint }: JointProjection,
  residual?: tf.Tensor2D,
  skipped?: number,
): tf.Tensor2D[] {
  const pair = adapter && { a: adapter.a.data, b: adapter.b, scale: adapter.scale };
  return projectWasm(x, { ...joint, adapter: pair, skipped }, residual);
}

export function jointLinearWasm(x: tf.Tensor2D, joint: JointProjection, residual?: tf.Tensor2D): tf.Tensor2D {
  return tf.tidy(() => concatColumns(linearPartsWasm(x, joint, residual)));
}
