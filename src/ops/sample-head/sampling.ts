import type * as tf from '@tensorflow/tfjs-core';

/** Second key word of all sampling draws. It separates them from other uses of a seed. */
export const SAMPLING_KEY = 0x6d61726b;

export interface SampleOptions {
  /** 0 is greedy. */
  temperature: number;
  /** Unsigned 32-bit. */
  seed: number;
  stream: number;
  /** Index of the token within the completion. */
  position: number;
}

export interface SampledTokens {
  /** [rows] int32 */
  tokens: tf.Tensor1D;
  /** [rows], nats at logits / temperature */
  logprobs: tf.Tensor1D;
}

/** Inputs that determine whether a row is finished. */
export interface Ended {
  /** [rows] int32: each row's newest token */
  newest: tf.Tensor1D;
  /** [count] int32, at least one */
  stopIds: tf.Tensor1D;
}
