/** `projectHeads` on WebGPU: one joint product, which is split into the projections. */
import * as tf from '@tensorflow/tfjs-core';
import type { JointProjection } from '../joint-linear';
import { jointLinearWgsl } from '../joint-linear/wgsl';
import type { Rotation } from '../rope';
import { headsOf, type HeadNorms, type HeadShape } from './heads';

export function projectHeadsWgsl(
  x: tf.Tensor2D,
  qkv: JointProjection,
  shape: HeadShape,
  rotation: Rotation,
  norms: HeadNorms | null,
): tf.Tensor3D[] {
  return tf.tidy(() => {
    const parts = tf.split<tf.Tensor2D>(jointLinearWgsl(x, qkv), [...qkv.segments], 1);
    return headsOf(parts, shape, rotation, norms);
  });
}
