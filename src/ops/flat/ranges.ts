import type * as tf from '@tensorflow/tfjs-core';

/** Range of a tensor's elements in flattened order. */
export interface ElementRange {
  tensor: tf.Tensor;
  offset: number;
  size: number;
}

export const asRange = (part: tf.Tensor | ElementRange): ElementRange =>
  'tensor' in part ? part : { tensor: part, offset: 0, size: part.size };

export const sizeOf = (ranges: readonly ElementRange[]): number =>
  ranges.reduce((sum, { size }) => sum + size, 0);
