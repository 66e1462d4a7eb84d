import type * as tf from '@tensorflow/tfjs-core';

export interface AdamWState {
  /** [size] each */
  parameters: tf.Tensor1D;
  moment1: tf.Tensor1D;
  moment2: tf.Tensor1D;
}

export interface AdamWSettings {
  learningRate: number;
  beta1: number;
  beta2: number;
  epsilon: number;
  weightDecay: number;
  /** Index of this update, from 1. */
  update: number;
  /** Factor on the gradient: the clipping factor, times 1 / accumulation if the gradient is a mean. */
  gradientScale: number;
}

export type Moments = Pick<AdamWState, 'moment1' | 'moment2'>;
