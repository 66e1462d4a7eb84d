/**
 * Queries, keys and values out of the joint product of their projections, queries and keys rotated to their positions
 * (rope.ts) on the way. Where something stands between projection and rotation, all three are only taken apart.
 */
import * as tf from '@tensorflow/tfjs-core';
import { rope, type Rotation } from './rope';
import { expectShape } from './shape';
import { splitHeadsFused } from './split-heads.wgsl';
import { fused } from './twin';
import type { HeadShape } from './split-heads.wgsl';

export type { HeadShape } from './split-heads.wgsl';

/**
 * @param qkv [rows, (heads + 2 * kvHeads) * headDim]
 * @param turned whether queries and keys are rotated
 * @returns q [rows, heads, headDim], k and v [rows, kvHeads, headDim]
 */
export function splitHeads(
  qkv: tf.Tensor2D,
  shape: HeadShape,
  rotation: Rotation,
  turned: boolean,
): tf.Tensor3D[] {
  const { heads, kvHeads, headDim } = shape;
  expectShape('splitHeads', 'qkv', qkv, [-1, (heads + 2 * kvHeads) * headDim]);
  expectShape('splitHeads', 'rotation.positions', rotation.positions, [qkv.shape[0]]);
  expectShape('splitHeads', 'rotation.tables.angles', rotation.tables.angles, [-1, headDim / 2, 2]);
  return fused()
    ? splitHeadsFused(qkv, shape, rotation, turned)
    : splitHeadsPlain(qkv, shape, rotation, turned);
}

/** The plain twin. */
function splitHeadsPlain(
  qkv: tf.Tensor2D,
  { heads, kvHeads, headDim }: HeadShape,
  rotation: Rotation,
  turned: boolean,
): tf.Tensor3D[] {
  return tf.tidy(() => {
    const counts = [heads, kvHeads, kvHeads];
    const [q, k, v] = tf
      .split(
        qkv,
        counts.map((count) => count * headDim),
        1,
      )
      .map((part, index) => tf.reshape<tf.Rank.R3>(part, [qkv.shape[0], counts[index], headDim]));
    return turned ? [rope(q, rotation), rope(k, rotation), v] : [q, k, v];
  });
}
