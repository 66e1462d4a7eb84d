/**
 * silu(gate) * up of two projections of the same input, with silu(x) = x * sigmoid(x) (Shazeer 2020).
 *
 * dgate = dy * up * s * (1 + gate * (1 - s)) with s = sigmoid(gate); dup = dy * silu(gate).
 */
import * as tf from '@tensorflow/tfjs-core';
import { implementations } from '../../gpu/implementations';
import { expectJoint, type JointProjection } from '../joint-linear/projection';
import { linearPartsReference } from '../joint-linear/reference';

const implementation = implementations({
  reference: swigluReference,
  wasm: async () => (await import('./wasm')).swigluWasm,
  wgsl: async () => (await import('./wgsl')).swigluWgsl,
});

/** @param x [rows, inputs] @param gateUp two projections of one width @returns [rows, width] */
export function swiglu(x: tf.Tensor2D, gateUp: JointProjection): tf.Tensor2D {
  expectJoint('swiglu', x, gateUp);
  return implementation.current(x, gateUp);
}

/** The reference implementation, whose gradient is tfjs's own. */
function swigluReference(x: tf.Tensor2D, gateUp: JointProjection): tf.Tensor2D {
  const [gate, up] = linearPartsReference(x, gateUp);
  return tf.tidy(() => tf.mul(tf.mul(gate, tf.sigmoid(gate)), up));
}
