/** Kernels that go over the rows of float32 matrices in the memory of tfjs's wasm backend (src/ops/assembly/rows.ts). */
import type { TensorInfo } from '@tensorflow/tfjs-core';
import { heapAddress } from '../../gpu/wasm-heap';
import { call, inParts, piecesOf, type KernelName } from '../../gpu/wasm-kernels';

/** Where row 0 of a matrix begins, and how far its rows lie apart: both in bytes. A stride of 0 repeats one row. */
export type Rows = readonly [address: number, stride: number];

/** A tensor's last axis as rows, one behind the other. */
export function rowsOf(tensor: TensorInfo): Rows {
  return [heapAddress(tensor), 4 * (tensor.shape.at(-1) ?? 1)];
}

/** All of a tensor as one row, the same for all rows. */
export function sameRow(tensor: TensorInfo): Rows {
  return [heapAddress(tensor), 0];
}

/** Operations of an element, by which the work of a row kernel is told. */
const FLOPS_OF_ELEMENT = 8;

/**
 * Runs a row kernel, divided by rows among the threads.
 *
 * @param matrices in the order of the kernel's parameters
 * @param numbers what follows the matrices
 * @param isDivisible false where rows add to the same numbers
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
