/** The reference implementation of `jointLinear`: one projection after the other. */
import * as tf from '@tensorflow/tfjs-core';
import { linearReference, matrixOf } from '../linear';
import type { Float32Weight } from '../lib/weight';
import type { JointProjection } from './projection';

/** Outputs of each projection as separate tensors: [rows, segment]. */
export function linearPartsReference(
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
    const base = linearReference(x, float32(matrix, trainable), {
      bias: biases?.[i],
      residual: residuals?.[i],
    });
    if (!inner || !outer) return base;
    const low = linearReference(x, float32(inner[i], true));
    return linearReference(low, float32(outer[i], true), { scale: adapter.scale, residual: base });
  });
}

export function jointLinearReference(
  x: tf.Tensor2D,
  joint: JointProjection,
  residual?: tf.Tensor2D,
): tf.Tensor2D {
  return tf.tidy(() => concatColumns(linearPartsReference(x, joint, residual)));
}

/** Concatenates the columns of all parts. */
export function concatColumns(parts: tf.Tensor2D[]): tf.Tensor2D {
  return parts.length === 1 ? parts[0] : tf.concat(parts, 1);
}
