/**
 * Joint projections of one input to queries, keys and values. Queries and keys are rotated to their positions
 * (rope.ts). If the architecture requires it, every head of both is first normalised (rms-norm).
 */
import * as tf from '@tensorflow/tfjs-core';
import { jointLinear, linearParts, type JointProjection } from '../joint-linear';
import { rmsNorm } from '../rms-norm';
import { rope, type Rotation } from '../rope';
import { expectShape } from '../lib/shape';
import { splitHeadsFused, type HeadNorms, type HeadShape } from './wgsl';
import { fused } from '../lib/backend-switch';

export type { HeadNorms } from './wgsl';

/** Checks that a projection has the outputs of these heads, and that the other arguments have matching sizes. */
export function expectHeads(
  op: string,
  x: tf.Tensor2D,
  { segments }: JointProjection,
  { heads, kvHeads, headDim }: HeadShape,
  { positions, tables }: Rotation,
  norms: HeadNorms | null,
): void {
  const widths = [heads, kvHeads, kvHeads].map((count) => count * headDim);
  expectShape(op, 'qkv', { shape: segments }, widths);
  expectShape(op, 'rotation.positions', positions, [x.shape[0]]);
  expectShape(op, 'rotation.tables.angles', tables.angles, [-1, headDim / 2, 2]);
  if (norms) {
    expectShape(op, 'norms.q', norms.q, [headDim]);
    expectShape(op, 'norms.k', norms.k, [headDim]);
  }
}

/**
 * @param x [rows, inputs]
 * @param skipped on wasm only: leading rows without queries
 * @returns q [rows - skipped, heads, headDim], k and v [rows, kvHeads, headDim]
 */
export function projectHeads(
  x: tf.Tensor2D,
  qkv: JointProjection,
  shape: HeadShape,
  rotation: Rotation,
  norms: HeadNorms | null,
  skipped = 0,
): tf.Tensor3D[] {
  expectHeads('projectHeads', x, qkv, shape, rotation, norms);
  if (fused() && !norms) return splitHeadsFused(jointLinear(x, qkv), shape, rotation, true);
  const { headDim } = shape;
  const [q, k, v] = fused()
    ? splitHeadsFused(jointLinear(x, qkv), shape, rotation, false)
    : linearParts(x, qkv, undefined, skipped).map((part) =>
        tf.reshape<tf.Rank.R3>(part, [part.shape[0], -1, headDim]),
      );
  const turned = (heads: tf.Tensor3D, norm: tf.Tensor1D | undefined): tf.Tensor3D => {
    if (!norms || !norm) return rope(heads, rotation);
    const rows = tf.reshape<tf.Rank.R2>(heads, [-1, headDim]);
    return rope(tf.reshape(rmsNorm(rows, norm, norms.epsilon), heads.shape), rotation);
  };
  return [turned(q, norms?.q), turned(k, norms?.k), v];
}
