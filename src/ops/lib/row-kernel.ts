/** Row kernels on float32 matrices, and a masked softmax, in the memory of tfjs's wasm backend (src/ops/assembly/rows.ts). */
import type { TensorInfo } from '@tensorflow/tfjs-core';
import { heapAddress } from '../../gpu/wasm-heap';
import { call, inParts, piecesOf, type KernelName } from '../../gpu/wasm-kernels';

/** Address of row 0 and row stride, both in bytes. A stride of 0 repeats one row. */
export type Rows = readonly [address: number, stride: number];

/** Treats a tensor's last axis as consecutive rows. */
export function rowsOf(tensor: TensorInfo): Rows {
  return [heapAddress(tensor), 4 * (tensor.shape.at(-1) ?? 1)];
}

/** Treats the whole tensor as one row that every row shares. */
export function sameRow(tensor: TensorInfo): Rows {
  return [heapAddress(tensor), 0];
}

/** Operations per element, an estimate of a row kernel's work. */
const FLOPS_OF_ELEMENT = 8;

/**
 * Runs a row kernel and divides the rows among the threads.
 *
 * @param matrices in the order of the kernel's parameters
 * @param numbers parameters that follow the matrices
 * @param isDivisible false if several rows add to the same numbers
 */
export function runRows(
  kernel: KernelName,
  rows: number,
  width: number,
  matrices: readonly Rows[],
  numbers: readonly number[] = [],
  isDivisible = true,
): void {
  if (!isDivisible) {
    call(kernel, [rows, width, ...matrices.flat(), ...numbers]);
    return;
  }
  inParts(FLOPS_OF_ELEMENT * rows * width, (parts) => {
    for (const [first, count] of piecesOf(rows, parts, 1)) {
      const from = matrices.flatMap(([address, stride]) => [address + first * stride, stride]);
      call(kernel, [count, width, ...from, ...numbers]);
    }
  });
}

/** Rows that have one line of `columns` numbers for every head. */
export interface WeightedRows {
  address: number;
  rows: number;
  heads: number;
  columns: number;
  /**
   * Unmasked columns: those below `first`, and those from `second` to `end`. At least one is unmasked. The others
   * become 0.
   */
  first: number;
  second: number;
  end: number;
  /** Increment of `end` from row to row. */
  growth: 0 | 1;
  /** Factor on the inputs of the softmax. */
  scale: number;
}

/** Cost of an exponential and three passes. */
const FLOPS_OF_SOFTMAX = 20;

/** Softmax in place. */
export function softmaxWasm({
  address,
  rows,
  heads,
  columns,
  first,
  second,
  end,
  growth,
  scale,
}: WeightedRows): void {
  const width = 4 * columns;
  inParts(FLOPS_OF_SOFTMAX * rows * heads * end, (parts) => {
    for (const [row, count] of piecesOf(rows, parts, 1)) {
      const line = address + row * heads * width;
      const last = 4 * (end + row * growth);
      call('softmax', [line, count, heads, width, 4 * first, 4 * second, last, 4 * growth, scale]);
    }
  });
}
