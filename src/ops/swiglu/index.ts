/**
 * silu(gate) * up of two projections of the same input, with silu(x) = x * sigmoid(x) (Shazeer 2020).
 *
 * dgate = dy * up * s * (1 + gate * (1 - s)) with s = sigmoid(gate); dup = dy * silu(gate).
 */
import type * as tf from '@tensorflow/tfjs-core';
import { implementations } from '../../gpu/implementations';
import { expectShape } from '../lib/shape';
import { expectJoint, type JointProjection } from '../joint-linear/projection';

const implementation = implementations('swiglu', {
  wasm: async () => (await import('./wasm')).swigluWasm,
  wgsl: async () => (await import('./wgsl')).swigluWgsl,
});

/** @param x [rows, inputs] @param gateUp two projections of one width @returns [rows, width] */
export function swiglu(x: tf.Tensor2D, gateUp: JointProjection): tf.Tensor2D {
  expectJoint('swiglu', x, gateUp);
  const [width] = gateUp.segments;
  expectShape('swiglu', 'gateUp', { shape: gateUp.segments }, [width, width]);
  return implementation.current(x, gateUp);
}
