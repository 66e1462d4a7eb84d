/**
 * y = x / sqrt(mean(x²) + epsilon) * weight, over the last axis (Zhang and Sennrich 2019). The mean is not subtracted.
 *
 * With r = 1 / sqrt(mean(x²) + epsilon) and g = dy * weight: dx = r * g - x * r³ * mean(g * x), dweight = column sums
 * of dy * x * r.
 */
import type * as tf from '@tensorflow/tfjs-core';
import { implementations } from '../../gpu/implementations';
import { expectShape } from '../lib/shape';

const implementation = implementations('rmsNorm', {
  wasm: async () => (await import('./wasm')).rmsNormWasm,
  wgsl: async () => (await import('./wgsl')).rmsNormWgsl,
});

/** @param x [rows, width] @param weight [width] @returns [rows, width] */
export function rmsNorm(x: tf.Tensor2D, weight: tf.Tensor1D, epsilon: number): tf.Tensor2D {
  expectShape('rmsNorm', 'x', x, [-1, -1]);
  expectShape('rmsNorm', 'weight', weight, [x.shape[1]]);
  return implementation.current(x, weight, epsilon);
}
