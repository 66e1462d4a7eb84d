/**
 * Several projections of the same input as one product: y = x Wᵀ + bias or residual + scale * (x Aᵀ) Bᵀ. W concatenates
 * the rows of all projections, and so does A. The product x Aᵀ is one more dispatch. Each projection multiplies its
 * part of it by its rows of B, in the same dispatch as W. On wasm each projection is a
 * separate product, because splitting the columns of a joint one costs more than it saves.
 *
 * Gradients, with dz the gradient with respect to x Aᵀ: dx = dy W + dz A, dA = dzᵀ x, and dz and dB as in
 * low-rank-gradient.wgsl.ts. Without an adapter: dW = dyᵀ x, dbias = column sums of dy. dresidual = dy. Frozen weights
 * get no gradient, and with an adapter W and bias are frozen.
 */
import type * as tf from '@tensorflow/tfjs-core';
import { MarbleError } from '../../base/error';
import { implementations } from '../../gpu/implementations';
import { expectLastRows } from '../lib/shape';
import { expectJoint, type JointProjection } from './projection';

const implementation = implementations('jointLinear', {
  wasm: async () => (await import('./wasm')).jointLinearWasm,
  wgsl: async () => (await import('./wgsl')).jointLinearWgsl,
});

export { oneProjection } from './projection';
export type { JointAdapter, JointProjection } from './projection';

/**
 * @param x [rows, inputs]
 * @param residual [rows, sum of segments]; on wasm it may have more rows, and the last ones are added
 * @returns [rows, sum of segments]
 * @throws MarbleError `ops/bias-and-residual`, `ops/shape`
 */
export function jointLinear(x: tf.Tensor2D, joint: JointProjection, residual?: tf.Tensor2D): tf.Tensor2D {
  expectJoint('jointLinear', x, joint);
  if (residual && joint.bias) {
    throw new MarbleError(
      'ops/bias-and-residual',
      'jointLinear: both a bias and a residual are given, but the kernels add only one of them.',
      'Add the bias to the residual.',
    );
  }
  if (residual) expectLastRows('jointLinear', 'residual', residual, [x.shape[0], joint.weight.outputs]);
  return implementation.current(x, joint, residual);
}
