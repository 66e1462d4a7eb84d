/**
 * RMSNorm fused with the projection that follows. When a few rows are decoded with an adapter, the kernel of the norm
 * also computes the adapter's inner product, and the returned projection contains it.
 */
import type * as tf from '@tensorflow/tfjs-core';
import { implementations } from '../../gpu/implementations';
import type { JointProjection } from '../joint-linear';
import { rmsNorm } from '../rms-norm';

type NormFor = (
  x: tf.Tensor2D,
  gain: tf.Tensor1D,
  epsilon: number,
  joint: JointProjection,
) => [tf.Tensor2D, JointProjection];

const implementation = implementations<NormFor>({
  reference: (x, gain, epsilon, joint) => [rmsNorm(x, gain, epsilon), joint],
  wgsl: async () => (await import('./wgsl')).normForWgsl,
});

/** @param x [rows, width] @returns the norm [rows, width], and the projection to apply to it */
export const normFor: NormFor = (x, gain, epsilon, joint) => implementation.current(x, gain, epsilon, joint);
