/**
 * RMSNorm fused with the projection that follows. When a few rows are decoded with an adapter, the kernel of the norm
 * also computes the adapter's inner product, and the returned projection contains it.
 */
import type * as tf from '@tensorflow/tfjs-core';
import { partOf } from '../../gpu/backend-parts';
import { fused } from '../lib/backend-switch';
import { recordsGradient } from '../lib/differentiable';
import type { JointProjection } from '../joint-linear';
import { rmsNorm } from '../rms-norm';

const kernels = partOf('webgpu', () => import('./wgsl'));

/** With more rows, a separate kernel that reads A once for several rows is faster. */
const MOST_ROWS = 64;

/** @param x [rows, width] @returns the norm [rows, width], and the projection to apply to it */
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
