/**
 * Several projections of the same input as one product: y = x Wᵀ + bias + residual + scale * (x Aᵀ) Bᵀ. W concatenates
 * the rows of all projections, and so does A. The product x Aᵀ is one more dispatch. Each projection multiplies its
 * part of it by its rows of B, in the same dispatch as W. The reference implementation computes one projection at a
 * time: on wasm, splitting the columns of a joint product costs more than the joint product saves.
 *
 * Gradients, with dz the gradient with respect to x Aᵀ: dx = dy W + dz A, dA = dzᵀ x, and dz and dB as in
 * low-rank-gradient.wgsl.ts. Without an adapter they are those of `linear`. With an adapter, W and bias are frozen.
 */
import * as tf from '@tensorflow/tfjs-core';
import { gatedLinearFused, jointLinearFused, type JointProjection } from './wgsl';
import { linearPlain, matrixOf } from '../linear';
import { withHeap } from '../lib/on-heap';
import { expectShape, expectWeight } from '../lib/shape';
import { fused } from '../lib/backend-switch';
import type { Float32Weight } from '../lib/weight';

const heapOps = withHeap(() => import('../linear/wasm'));

export type { JointProjection, JointAdapter } from './wgsl';

function expectJoint(x: tf.Tensor2D, { segments, weight, bias, adapter }: JointProjection): void {
  expectWeight('jointLinear', 'weight', weight);
  expectShape('jointLinear', 'x', x, [-1, weight.inputs]);
  if (bias) expectShape('jointLinear', 'bias', bias, [weight.outputs]);
  if (adapter) {
    expectShape('jointLinear', 'adapter.b', adapter.b, [weight.outputs, -1]);
    expectShape('jointLinear', 'adapter.a', adapter.a.data, [
      segments.length * adapter.b.shape[1],
      weight.inputs,
    ]);
  }
}

/**
 * @param x [rows, inputs]
 * @param residual [rows, sum of segments]; on wasm it may have more rows, and the last ones are added
 * @returns [rows, sum of segments]
 */
export function jointLinear(x: tf.Tensor2D, joint: JointProjection, residual?: tf.Tensor2D): tf.Tensor2D {
  expectJoint(x, joint);
  if (residual) {
    const rows = heapOps() && residual.shape[0] > x.shape[0] ? -1 : x.shape[0];
    expectShape('jointLinear', 'residual', residual, [rows, joint.weight.outputs]);
  }
  if (fused()) return jointLinearFused(x, joint, residual);
  return tf.tidy(() => {
    const parts = linearParts(x, joint, residual);
    return parts.length === 1 ? parts[0] : tf.concat(parts, 1);
  });
}

/**
 * silu of the first of two projections times the second, [rows, segment]. For GPUs, without a gradient and without
 * biases.
 */
export function gatedLinear(x: tf.Tensor2D, joint: JointProjection): tf.Tensor2D {
  expectJoint(x, joint);
  return gatedLinearFused(x, joint);
}

/**
 * Outputs of each projection as separate tensors: [rows, segment].
 *
 * @param skipped on wasm only: leading rows that the first projection omits
 */
export function linearParts(
  x: tf.Tensor2D,
  joint: JointProjection,
  residual?: tf.Tensor2D,
  skipped?: number,
): tf.Tensor2D[] {
  const heap = heapOps();
  if (!heap) return linearPartsPlain(x, joint, residual);
  const { segments, weight, bias, adapter } = joint;
  const pair = adapter && { a: adapter.a.data, b: adapter.b, scale: adapter.scale };
  return heap.projectOnHeap(x, { segments, weight, bias, adapter: pair, skipped }, residual);
}

export function linearPartsPlain(
  x: tf.Tensor2D,
  joint: JointProjection,
  residual?: tf.Tensor2D,
): tf.Tensor2D[] {
  const { segments, weight, bias, adapter } = joint;
  const cut = <T extends tf.Tensor>(whole: T, sizes: readonly number[], axis = 0): T[] =>
    sizes.length === 1 ? [whole] : tf.split<T>(whole, [...sizes], axis);
  const ranks = adapter ? segments.map(() => adapter.b.shape[1]) : [];
  const float32 = (data: tf.Tensor2D, trainable: boolean): Float32Weight => {
    const [outputs, inputs] = data.shape;
    return { format: 'f32', data, outputs, inputs, trainable };
  };
  const trainable = weight.format === 'f32' && weight.trainable && !adapter;
  const matrices = cut(matrixOf(weight), segments);
  const biases = bias && cut(bias, segments);
  const residuals = residual && cut(residual, segments, 1);
  const inner = adapter && cut(adapter.a.data, ranks);
  const outer = adapter && cut(adapter.b, segments);
  return matrices.map((matrix, i) => {
    const base = linearPlain(x, float32(matrix, trainable), { bias: biases?.[i], residual: residuals?.[i] });
    if (!inner || !outer) return base;
    const low = linearPlain(x, float32(inner[i], true));
    return linearPlain(low, float32(outer[i], true), { scale: adapter.scale, residual: base });
  });
}
