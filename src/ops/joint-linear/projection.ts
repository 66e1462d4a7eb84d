/** Several projections of the same input, stored as one weight. */
import type * as tf from '@tensorflow/tfjs-core';
import { expectShape, expectWeight } from '../lib/shape';
import type { Float32Weight, Weight } from '../lib/weight';

export interface JointProjection {
  /** Outputs of each projection. At most three projections. */
  segments: readonly number[];
  /** [sum of segments, inputs] */
  weight: Weight;
  /** [sum of segments] */
  bias: tf.Tensor1D | null;
  adapter: JointAdapter | null;
}

export interface JointAdapter {
  /** [segments * rank, inputs] */
  a: Float32Weight;
  /** [sum of segments, rank] */
  b: tf.Tensor2D;
  scale: number;
}

/** A single projection without bias and adapter. */
export const oneProjection = (weight: Weight): JointProjection => ({
  segments: [weight.outputs],
  weight,
  bias: null,
  adapter: null,
});

export function expectJoint(
  op: string,
  x: tf.Tensor2D,
  { segments, weight, bias, adapter }: JointProjection,
): void {
  expectWeight(op, 'weight', weight);
  expectShape(op, 'x', x, [-1, weight.inputs]);
  expectShape(op, 'sum of segments', { shape: [segments.reduce((sum, size) => sum + size)] }, [
    weight.outputs,
  ]);
  if (bias) expectShape(op, 'bias', bias, [weight.outputs]);
  if (adapter) {
    expectShape(op, 'adapter.b', adapter.b, [weight.outputs, -1]);
    expectShape(op, 'adapter.a', adapter.a.data, [segments.length * adapter.b.shape[1], weight.inputs]);
  }
}
