/** `flatten` and its relatives on wasm, in the memory of tfjs's backend. */
import type * as tf from '@tensorflow/tfjs-core';
import { heapAddress, heapFloats, heapTensor, heapValues } from '../../gpu/wasm-heap';
import { asRange, sizeOf, type ElementRange } from './ranges';

/**
 * Copies float32 ranges. tfjs's slice first copies the whole tensor, which for one parameter is the vector of all
 * parameters.
 */
export function flattenWasm(parts: readonly (tf.Tensor | ElementRange)[]): tf.Tensor1D {
  const ranges = parts.map(asRange);
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

/** Writes the zeros in place, without a copy in the page's memory. */
export function zeroVectorWasm(size: number): tf.Tensor1D {
  const zeros = heapTensor<tf.Rank.R1>([size]);
  heapValues(zeros).fill(0);
  return zeros;
}
