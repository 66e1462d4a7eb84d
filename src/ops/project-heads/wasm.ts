/** `projectHeads` on wasm: one product for each projection. */
import type * as tf from '@tensorflow/tfjs-core';
import type { JointProjection } from '../joint-linear';
import { linearPartsWasm } from '../joint-linear/wasm';
import type { Rotation } from '../rope';
import { headsOf, type HeadNorms, type HeadShape } from './heads';

/** Takes the parameters of `projectHeads`. */
export function projectHeadsWasm(
  x: tf.Tensor2D,
  qkv: JointProjection,
  shape: HeadShape,
  rotation: Rotation,
  norms: HeadNorms | null,
  skipped?: number,
): tf.Tensor3D[] {
  return headsOf(linearPartsWasm(x, qkv, undefined, skipped), shape, rotation, norms);
}
