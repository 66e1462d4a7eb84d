/**
 * AdamW (Loshchilov and Hutter 2019) over one flat vector of all trainable parameters. The gradient is first clipped to
 * a global norm:
 *
 *   g <- g * min(1, maxGradNorm / (norm + 1e-6))
 *   m <- beta1 m + (1 - beta1) g          v <- beta2 v + (1 - beta2) g²
 *   p <- p - lr * (m / (1 - beta1^t) / (sqrt(v / (1 - beta2^t)) + epsilon) + weightDecay * p)
 *
 * tfjs's own Adam is not used because it runs about 14 kernels per variable.
 */
import * as tf from '@tensorflow/tfjs-core';
import { implementations } from '../../gpu/implementations';
import { zeroVector } from '../flat';
import { expectShape } from '../lib/shape';
import type { AdamWSettings, AdamWState, Moments } from './state';

const step = implementations('adamW', {
  wasm: async () => (await import('./wasm')).adamWWasm,
  wgsl: async () => (await import('./wgsl')).adamWWgsl,
});

const norm = implementations('gradientNorm', {
  wasm: async () => (await import('./wasm')).gradientNormWasm,
  wgsl: async () => (await import('./wgsl')).gradientNormWgsl,
});

export type { AdamWSettings, AdamWState, Moments } from './state';

/** Performs the step, which disposes of the state's tensors and replaces them. @param gradient [size] */
export function adamW(state: AdamWState, gradient: tf.Tensor1D, settings: AdamWSettings): void {
  expectShape('adamW', 'gradient', gradient, state.parameters.shape);
  expectShape('adamW', 'state.moment1', state.moment1, state.parameters.shape);
  expectShape('adamW', 'state.moment2', state.moment2, state.parameters.shape);
  step.current(state, gradient, settings);
}

/** Euclidean norm. @param gradient [size] */
export function gradientNorm(gradient: tf.Tensor1D): Promise<number> {
  return norm.current(gradient);
}

/** Both moments before the first update, [size] each. They share one zero vector, because an update replaces them. */
export function zeroMoments(size: number): Moments {
  const moment1 = tf.keep(zeroVector(size));
  return { moment1, moment2: tf.keep(tf.clone(moment1)) };
}
