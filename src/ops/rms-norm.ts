/**
 * y = x / sqrt(mean(x²) + epsilon) * weight, over the last axis (Zhang and Sennrich 2019; no mean is taken off).
 *
 * With r = 1 / sqrt(mean(x²) + epsilon) and g = dy * weight:
 * dx = r * g - x * r³ * mean(g * x), dweight = column sums of dy * x * r.
 */
import * as tf from '@tensorflow/tfjs-core';
import { columnSums } from './matmul/product';
import { expectShape } from './lib/shape';
import { rmsNormFused } from './rms-norm.wgsl';
import { withHeap } from './lib/on-heap';
import { fused } from './lib/backend-switch';

const heapOps = withHeap(() => import('./rms-norm.heap'));

/** @param x [rows, width] @param weight [width] @returns [rows, width] */
export function rmsNorm(x: tf.Tensor2D, weight: tf.Tensor1D, epsilon: number): tf.Tensor2D {
  expectShape('rmsNorm', 'x', x, [-1, -1]);
  expectShape('rmsNorm', 'weight', weight, [x.shape[1]]);
  if (fused()) return rmsNormFused(x, weight, epsilon);
  return (heapOps()?.rmsNormOnHeap ?? rmsNormPlain)(x, weight, epsilon);
}

/** The reference implementation. */
export function rmsNormPlain(x: tf.Tensor2D, weight: tf.Tensor1D, epsilon: number): tf.Tensor2D {
  const normalise = tf.customGrad((...args) => {
    const [input, gain, save] = args as unknown as [tf.Tensor2D, tf.Tensor1D, tf.GradSaveFunc];
    const inverse = tf.rsqrt(tf.add(tf.mean(tf.mul(input, input), 1, true), epsilon)); // [rows, 1]
    save([input, gain, inverse]);
    return {
      value: tf.mul(tf.mul(input, inverse), gain),
      gradFunc: (dy: tf.Tensor, saved: tf.Tensor[]) => {
        const [xSaved, gainSaved, r] = saved;
        const normal = tf.mul(xSaved, r); // [rows, width]
        const g = tf.mul(dy, gainSaved);
        const along = tf.mean(tf.mul(g, normal), 1, true);
        return [tf.mul(r, tf.sub(g, tf.mul(normal, along))), columnSums(tf.mul<tf.Tensor2D>(dy, normal))];
      },
    };
  });
  return tf.tidy(() => normalise(x, weight) as tf.Tensor2D);
}
