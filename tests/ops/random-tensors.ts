/** Tensors and weights at random, in every format that weights are stored in. */
import * as tf from '@tensorflow/tfjs-core';
import type { Random } from '../../src/base/random';
import type { JointProjection } from '../../src/ops/joint-linear';
import type { Float32Weight, Weight } from '../../src/ops/lib/weight';

/** Evenly between `-scale` and `scale`. */
export function randomTensor<R extends tf.Rank>(
  random: Random,
  shape: tf.ShapeMap[R],
  scale = 1,
): tf.Tensor<R> {
  const values = Float32Array.from(
    { length: tf.util.sizeFromShape(shape) },
    () => (2 * random.uniform() - 1) * scale,
  );
  return tf.tensor(values, shape);
}

/** [outputs, inputs] as a weight. */
export function f32Weight(data: tf.Tensor2D, trainable = false): Float32Weight {
  const [outputs, inputs] = data.shape;
  return { format: 'f32', data, outputs, inputs, trainable };
}

export function randomWeight(
  random: Random,
  format: Weight['format'],
  outputs: number,
  inputs: number,
): Weight {
  const count = outputs * inputs;
  const values = Float32Array.from({ length: count }, () => 2 * random.uniform() - 1);
  if (format === 'f32') return f32Weight(tf.tensor2d(values, [outputs, inputs]), true);
  const bits = new Uint32Array(values.buffer);
  const halves = new Uint16Array(2 * Math.ceil(count / 2));
  for (let e = 0; e < count; e++) halves[e] = bits[e] >>> 16;
  return { format, data: tf.tensor1d(new Int32Array(halves.buffer), 'int32'), outputs, inputs };
}

/** Projections whose outputs are their inputs: for what stands behind a product. */
export function passedOn(segments: readonly number[]): JointProjection {
  const width = segments.reduce((sum, outputs) => sum + outputs);
  return { segments, weight: f32Weight(tf.eye(width)), bias: null, adapter: null };
}

/** The largest, relative to the largest expected magnitude: NaN where a number is none, Infinity where lengths differ. */
export function difference(found: ArrayLike<number>, expected: ArrayLike<number>): number {
  if (found.length !== expected.length) return Infinity;
  let [largest, worst] = [1e-6, 0];
  for (let i = 0; i < expected.length; i++) largest = Math.max(largest, Math.abs(expected[i]));
  for (let i = 0; i < expected.length; i++) {
    const off = Math.abs(found[i] - expected[i]) / largest;
    if (!(off <= worst)) worst = off;
  }
  return worst;
}
