/**
 * RMSNorm for the projection that follows. While a few rows are decoded with an adapter, its inner product comes out of the
 * same kernel as the norm, and the projection is handed on with it.
 */
import type * as tf from '@tensorflow/tfjs-core';
import { partOf } from '../../gpu/backend-parts';
import { fused } from '../lib/backend-switch';
import { recordsGradient } from '../lib/differentiable';
import type { JointProjection } from '../joint-linear';
import { rmsNorm } from '../rms-norm';

const kernels = partOf('webgpu', () => import('./wgsl'));

/** Beyond, reading A once for several rows is worth a kernel of its own. */
const MOST_ROWS = 64;

/** @param x [rows, width] @returns the norm [rows, width], and the projection to take of it */
export function normFor(
  x: tf.Tensor2D,
  gain: tf.Tensor1D,
  epsilon: number,
  joint: JointProjection,
): [tf.Tensor2D, JointProjection] {
  const { adapter } = joint;
  if (!adapter || x.shape[0] > MOST_ROWS || !fused() || recordsGradient())
    return [rmsNorm(x, gain, epsilon), joint];
  const { y, inner } = kernels()!.normedInner(x, gain, epsilon, adapter.a.data);
  return [y, { ...joint, adapter: { ...adapter, inner } }];
}
