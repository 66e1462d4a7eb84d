/**
 * Splits a matrix into blocks of rows that are small enough to bind. The embedding of a model with half a billion
 * parameters has 272 MB, and many phones and laptops bind at most 128 or 256 MiB of a buffer at once.
 */
import type * as tf from '@tensorflow/tfjs-core';
import type { BufferRange } from '../../gpu/webgpu/backend';
import type { WeightFormat } from './weight-load.wgsl';

export interface RowBlock {
  /** Index of the first row, and number of rows. */
  first: number;
  count: number;
  data: tf.Tensor | BufferRange;
}

/**
 * Row granularity that satisfies two constraints: a binding begins at a multiple of 256 bytes, and tiles cover up to
 * 128 columns.
 */
const ROWS = 128;

const BYTES = { f32: 4, bf16: 2 };

/** @returns one block of all rows if they fit, otherwise the fewest blocks, of similar size */
export function rowBlocks(
  { format, data, rows, columns }: { format: WeightFormat; data: tf.Tensor; rows: number; columns: number },
  { maxBindingBytes }: { maxBindingBytes: number },
): RowBlock[] {
  const rowBytes = columns * BYTES[format];
  if (rows * rowBytes <= maxBindingBytes) return [{ first: 0, count: rows, data }];
  const most = Math.max(1, Math.floor(maxBindingBytes / rowBytes / ROWS)) * ROWS;
  const each = Math.ceil(rows / Math.ceil(rows / most) / ROWS) * ROWS;
  return Array.from({ length: Math.ceil(rows / each) }, (_, index) => {
    const first = index * each;
    const count = Math.min(each, rows - first);
    const byteOffset = first * rowBytes;
    const byteLength = Math.min(data.size * 4 - byteOffset, each * rowBytes);
    return { first, count, data: { tensor: data, byteOffset, byteLength } };
  });
}
