/**
 * y = silu(gate) * up with silu(x) = x * sigmoid(x) (Shazeer 2020).
 *
 * dgate = dy * up * s * (1 + gate * (1 - s)) with s = sigmoid(gate); dup = dy * silu(gate).
 */
import * as tf from '@tensorflow/tfjs-core';
import { expectShape } from './shape';

/** @param gate [rows, width] @param up [rows, width] @returns [rows, width] */
export function swiglu(gate: tf.Tensor2D, up: tf.Tensor2D): tf.Tensor2D {
  expectShape('swiglu', 'up', up, gate.shape);
  return swigluPlain(gate, up);
}

/** The plain twin. */
export function swigluPlain(gate: tf.Tensor2D, up: tf.Tensor2D): tf.Tensor2D {
  return tf.tidy(() => tf.mul(tf.mul(gate, tf.sigmoid(gate)), up));
}
