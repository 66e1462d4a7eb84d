/** Parts that the implementations of `projectHeads` share. */
import * as tf from '@tensorflow/tfjs-core';
import { expectJoint, type JointProjection } from '../joint-linear/projection';
import { expectShape } from '../lib/shape';
import { rmsNorm } from '../rms-norm';
import { rope, type Rotation } from '../rope';

export interface HeadShape {
  heads: number;
  kvHeads: number;
  headDim: number;
}

/** RMSNorm of every head of q and of k, before the rotation. */
export interface HeadNorms {
  /** [headDim] */
  q: tf.Tensor1D;
  k: tf.Tensor1D;
  epsilon: number;
}

/** Checks that a projection has the outputs of these heads, and that the other arguments have matching sizes. */
export function expectHeads(
  op: string,
  x: tf.Tensor2D,
  qkv: JointProjection,
  { heads, kvHeads, headDim }: HeadShape,
  { positions, tables }: Rotation,
  norms: HeadNorms | null,
): void {
  const widths = [heads, kvHeads, kvHeads].map((count) => count * headDim);
  expectShape(op, 'qkv', { shape: qkv.segments }, widths);
  expectJoint(op, x, qkv);
  expectShape(op, 'rotation.positions', positions, [x.shape[0]]);
  expectShape(op, 'rotation.tables.angles', tables.angles, [-1, headDim / 2, 2]);
  if (norms) {
    expectShape(op, 'norms.q', norms.q, [headDim]);
    expectShape(op, 'norms.k', norms.k, [headDim]);
  }
}

/** Splits each projection [rows, heads * headDim] into heads, and norms and rotates queries and keys. */
export function headsOf(
  parts: readonly tf.Tensor2D[],
  { headDim }: HeadShape,
  rotation: Rotation,
  norms: HeadNorms | null,
): tf.Tensor3D[] {
  const heads = parts.map((part) => tf.reshape<tf.Rank.R3>(part, [part.shape[0], -1, headDim]));
  return normedAndRotated(heads, rotation, norms);
}

export function normedAndRotated(
  [q, k, v]: readonly tf.Tensor3D[],
  rotation: Rotation,
  norms: HeadNorms | null,
): tf.Tensor3D[] {
  const rotated = (heads: tf.Tensor3D, norm: tf.Tensor1D | undefined): tf.Tensor3D => {
    if (!norms || !norm) return rope(heads, rotation);
    const rows = tf.reshape<tf.Rank.R2>(heads, [-1, norm.shape[0]]);
    return rope(tf.reshape(rmsNorm(rows, norm, norms.epsilon), heads.shape), rotation);
  };
  return [rotated(q, norms?.q), rotated(k, norms?.k), v];
}
