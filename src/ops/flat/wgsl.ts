/** `flatten` and `readAll` on WebGPU: buffer-to-buffer copies without a kernel. */
import type * as tf from '@tensorflow/tfjs-core';
import { emptyTensor, webgpuBackend } from '../../gpu/kernel';
import { asRange, sizeOf, type ElementRange } from './ranges';

/** For int32 tensors the result keeps the bits, so its values must be read as int32. */
export function flattenWgsl(parts: readonly (tf.Tensor | ElementRange)[]): tf.Tensor1D {
  const ranges = parts.map(asRange);
  const flat = emptyTensor<tf.Rank.R1>([sizeOf(ranges)]);
  let to = 0;
  for (const { tensor, offset, size } of ranges) {
    webgpuBackend().copy(tensor, offset, flat, to, size);
    to += size;
  }
  return flat;
}

/** Copies all tensors into one vector, for a single readback. */
export async function readAllWgsl(tensors: readonly tf.Tensor[]): Promise<ArrayLike<number>[]> {
  const all = flattenWgsl(tensors);
  const { buffer, byteOffset } = (await all.data()) as Float32Array;
  all.dispose();
  let end = byteOffset;
  return tensors.map(({ dtype, size }) => {
    const start = end;
    end += 4 * size;
    return dtype === 'int32' ? new Int32Array(buffer, start, size) : new Float32Array(buffer, start, size);
  });
}
