/** Random weights in every format they are stored in. */
import * as tf from '@tensorflow/tfjs-core';
import type { Float32Weight, Weight } from '../../src/ops/lib/weight';
import type { Random } from '../../src/random';

/** A weight, and the same in f32 for the reference implementation. */
export function randomWeight(
  random: Random,
  format: Weight['format'],
  outputs: number,
  inputs: number,
): { weight: Weight; plain: Float32Weight } {
  const count = outputs * inputs;
  const asFloat = (values: Float32Array): Float32Weight => ({
    format: 'f32',
    data: tf.tensor2d(values, [outputs, inputs]),
    outputs,
    inputs,
    trainable: format === 'f32',
  });
  const values = Float32Array.from({ length: count }, () => 2 * random.uniform() - 1);
  if (format === 'f32') return { weight: asFloat(values), plain: asFloat(values) };
  if (format === 'bf16') {
    const bits = new Uint32Array(values.buffer);
    const halves = new Uint16Array(2 * Math.ceil(count / 2));
    for (let e = 0; e < count; e++) {
      halves[e] = bits[e] >>> 16;
      bits[e] &= 0xffff0000;
    }
    const data = tf.tensor1d(new Int32Array(halves.buffer), 'int32');
    return { weight: { format, data, outputs, inputs }, plain: asFloat(values) };
  }
  const bytes = Int8Array.from({ length: 4 * Math.ceil(count / 4) }, () => random.integer(255) - 127);
  const group = inputs % 4 === 0 ? 8 : 5;
  const groups = Math.ceil(inputs / group);
  const scales = Float32Array.from({ length: outputs * groups }, () => 0.01 * random.uniform());
  for (let e = 0; e < count; e++) {
    values[e] = bytes[e] * scales[Math.floor(e / inputs) * groups + Math.floor((e % inputs) / group)];
  }
  const data = tf.tensor1d(new Int32Array(bytes.buffer), 'int32');
  return {
    weight: { format, data, scales: tf.tensor1d(scales), group, outputs, inputs },
    plain: asFloat(values),
  };
}
