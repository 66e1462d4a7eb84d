/**
 * Many tensors as one vector and back, for the optimiser, which steps over one flat vector of all parameters. On WebGPU
 * these are copies from buffer to buffer: tfjs's own kernel asks of every element which of the parts it belongs to.
 */
import * as tf from '@tensorflow/tfjs-core';
import { emptyTensor } from '../gpu/kernel';
import type { MarbleWebGPUBackend } from '../gpu/webgpu-backend';
import { fused } from './twin';

/** The values of all tensors, one after another. */
export function flatten(parts: readonly tf.Tensor[]): tf.Tensor1D {
  if (!fused()) return tf.tidy(() => tf.concat1d(parts.map((part) => tf.reshape(part, [-1]))));
  const flat = emptyTensor<tf.Rank.R1>([parts.reduce((sum, part) => sum + part.size, 0)]);
  let offset = 0;
  for (const part of parts) {
    backend().copy(part, 0, flat, offset, part.size);
    offset += part.size;
  }
  return flat;
}

/** The vector's values as tensors of these shapes, which together have its size. */
export function unflatten(flat: tf.Tensor1D, shapes: readonly (readonly number[])[]): tf.Tensor[] {
  let offset = 0;
  return shapes.map((shape) => {
    const size = tf.util.sizeFromShape([...shape]);
    const begin = offset;
    offset += size;
    if (!fused()) return tf.tidy(() => tf.reshape(tf.slice(flat, [begin], [size]), [...shape]));
    const part = emptyTensor([...shape]);
    backend().copy(flat, begin, part, 0, size);
    return part;
  });
}

const backend = (): MarbleWebGPUBackend => tf.backend() as unknown as MarbleWebGPUBackend;
