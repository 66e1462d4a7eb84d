/**
 * silu(gate) * up of two projections of the same input, with silu(x) = x * sigmoid(x) (Shazeer 2020).
 *
 * dgate = dy * up * s * (1 + gate * (1 - s)) with s = sigmoid(gate); dup = dy * silu(gate).
 */
import * as tf from '@tensorflow/tfjs-core';
import { recordsGradient } from '../lib/differentiable';
import { gatedLinear, jointLinear, linearParts, type JointProjection } from '../joint-linear';
import { swigluFused } from './wgsl';
import { withHeap } from '../lib/on-heap';
import { fused } from '../lib/backend-switch';

const heapOps = withHeap(() => import('./wasm'));

/** @param x [rows, inputs] @param gateUp two projections of one width @returns [rows, width] */
export function swiglu(x: tf.Tensor2D, gateUp: JointProjection): tf.Tensor2D {
  if (fused()) {
    // only the gradient needs both
    const keepsBoth = recordsGradient() || gateUp.bias !== null;
    return keepsBoth ? swigluFused(jointLinear(x, gateUp)) : gatedLinear(x, gateUp);
  }
  const [gate, up] = linearParts(x, gateUp);
  return (heapOps()?.swigluOnHeap ?? swigluPlain)(gate, up);
}

/** The reference implementation, whose gradient is tfjs's own. @param gate [rows, width] @param up [rows, width] */
export function swigluPlain(gate: tf.Tensor2D, up: tf.Tensor2D): tf.Tensor2D {
  return tf.tidy(() => tf.mul(tf.mul(gate, tf.sigmoid(gate)), up));
}
