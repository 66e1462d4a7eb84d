/**
 * Concatenates tensors or parts of them into one vector, such as the optimiser's flat vector of all parameters. On
 * WebGPU these are buffer-to-buffer copies without a kernel. tfjs's own kernel determines for every element which part
 * it belongs to, and needs a new variant for every number of parts.
 */
import * as tf from '@tensorflow/tfjs-core';
import { emptyTensor, webgpuBackend } from '../../gpu/kernel';
import { heapAddress, heapFloats, heapTensor, heapValues, onHeap } from '../../gpu/wasm-heap';
import { fused } from '../lib/backend-switch';

/** Range of a tensor's elements in flattened order. */
export interface ElementRange {
  tensor: tf.Tensor;
  offset: number;
  size: number;
}

/** Concatenates the values of all tensors and ranges. */
export function flatten(parts: readonly (tf.Tensor | ElementRange)[]): tf.Tensor1D {
  if (fused()) return copied(parts);
  const ranges = parts.map(asRange);
  return onHeap() && ranges.every(({ tensor }) => tensor.dtype === 'float32')
    ? copiedOnHeap(ranges)
    : flattenPlain(parts);
}

export function flattenPlain(parts: readonly (tf.Tensor | ElementRange)[]): tf.Tensor1D {
  return tf.tidy(() => tf.concat1d(parts.map(asRange).map(plainRange)));
}

/**
 * Copies ranges on wasm. tfjs's slice first copies the whole tensor, which for one parameter is the vector of all
 * parameters.
 */
function copiedOnHeap(ranges: readonly ElementRange[]): tf.Tensor1D {
  const flat = heapTensor<tf.Rank.R1>([sizeOf(ranges)]);
  const memory = heapFloats();
  let to = heapAddress(flat) / 4;
  for (const { tensor, offset, size } of ranges) {
    const from = heapAddress(tensor) / 4 + offset;
    memory.copyWithin(to, from, from + size);
    to += size;
  }
  return flat;
}

/** `flatten` for WebGPU only. For int32 tensors the result keeps the bits, so its values must be read as int32. */
export function copied(parts: readonly (tf.Tensor | ElementRange)[]): tf.Tensor1D {
  const ranges = parts.map(asRange);
  const flat = emptyTensor<tf.Rank.R1>([sizeOf(ranges)]);
  let to = 0;
  for (const { tensor, offset, size } of ranges) {
    webgpuBackend().copy(tensor, offset, flat, to, size);
    to += size;
  }
  return flat;
}

/** Vector of zeros. If tensors live in the wasm heap, it is created without a copy in the page's memory. */
export function zeroVector(size: number): tf.Tensor1D {
  if (!onHeap()) return tf.zeros([size]);
  const zeros = heapTensor<tf.Rank.R1>([size]);
  heapValues(zeros).fill(0);
  return zeros;
}

const sizeOf = (ranges: readonly ElementRange[]): number => ranges.reduce((sum, { size }) => sum + size, 0);

const asRange = (part: tf.Tensor | ElementRange): ElementRange =>
  'tensor' in part ? part : { tensor: part, offset: 0, size: part.size };

function plainRange({ tensor, offset, size }: ElementRange): tf.Tensor1D {
  const all = tf.reshape<tf.Rank.R1>(tensor, [-1]);
  return size === tensor.size ? all : tf.slice(all, [offset], [size]);
}
