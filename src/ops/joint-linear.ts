/**
 * Several projections of the same input as one product: y = x Wᵀ + bias + residual + scale * (x Aᵀ) Bᵀ. W holds the rows
 * of all projections one after the other. So does A, whose product with x is one more dispatch; each projection takes
 * its own part of it through its own rows of B, in the same dispatch as W.
 *
 * Gradients, with dz the gradient by x Aᵀ: dx = dy W + dz A, dA = dzᵀ x, and dz and dB as in low-rank-gradient.wgsl.ts;
 * without an adapter those of `linear`. Beside an adapter W and bias are frozen.
 */
import * as tf from '@tensorflow/tfjs-core';
import { jointLinearFused } from './joint-linear.wgsl';
import { linearPlain } from './linear';
import { expectShape, expectWeight } from './shape';
import { fused } from './twin';
import type { JointProjection } from './joint-linear.wgsl';

export type { JointProjection, JointAdapter } from './joint-linear.wgsl';

/** @param x [rows, inputs] @param residual [rows, sum of segments] @returns [rows, sum of segments] */
export function jointLinear(x: tf.Tensor2D, joint: JointProjection, residual?: tf.Tensor2D): tf.Tensor2D {
  const { segments, weight, bias, adapter } = joint;
  expectWeight('jointLinear', 'weight', weight);
  expectShape('jointLinear', 'x', x, [-1, weight.inputs]);
  if (bias) expectShape('jointLinear', 'bias', bias, [weight.outputs]);
  if (residual) expectShape('jointLinear', 'residual', residual, [x.shape[0], weight.outputs]);
  if (adapter) {
    expectShape('jointLinear', 'adapter.b', adapter.b, [weight.outputs, -1]);
    expectShape('jointLinear', 'adapter.a', adapter.a.data, [
      segments.length * adapter.b.shape[1],
      weight.inputs,
    ]);
  }
  return fused() ? jointLinearFused(x, joint, residual) : jointLinearPlain(x, joint, residual);
}

/** The plain twin: each projection by itself, joined at the end. */
function jointLinearPlain(x: tf.Tensor2D, joint: JointProjection, residual?: tf.Tensor2D): tf.Tensor2D {
  const { segments, weight, bias, adapter } = joint;
  return tf.tidy(() => {
    const base = linearPlain(x, weight, { bias: bias ?? undefined, residual });
    if (!adapter) return base;
    const rank = adapter.b.shape[1];
    const inner = linearPlain(x, adapter.a);
    let first = 0;
    const parts = segments.map((outputs, segment) => {
      const b = tf.slice(adapter.b, [first, 0], [outputs, rank]);
      first += outputs;
      return tf.matMul(tf.slice(inner, [0, segment * rank], [-1, rank]), tf.transpose(b));
    });
    return tf.add<tf.Tensor2D>(base, tf.mul(tf.concat(parts, 1), adapter.scale));
  });
}
