import * as tf from '@tensorflow/tfjs-core';
import type { JointProjection } from '../../src/ops/joint-linear';

/** Projections whose outputs are their inputs: for tests of what stands behind a product. */
export function passedOn(segments: readonly number[]): JointProjection {
  const width = segments.reduce((sum, outputs) => sum + outputs);
  const data = tf.eye(width);
  return {
    segments,
    weight: { format: 'f32', data, outputs: width, inputs: width, trainable: false },
    bias: null,
    adapter: null,
  };
}
