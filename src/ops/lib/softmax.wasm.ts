/** Softmax of rows of which only some columns count, in place, in the memory of tfjs's wasm backend. */
import { call, inParts, piecesOf } from '../../gpu/wasm-kernels';

/** Rows, each with a line of `columns` numbers for every head. */
export interface WeightedRows {
  address: number;
  rows: number;
  heads: number;
  columns: number;
  /** What counts of a line: the columns below `first`, and those from `second` up to `end`; at least one. The others become 0. */
  first: number;
  second: number;
  end: number;
  /** By how much `end` grows from row to row. */
  growth: 0 | 1;
  /** Of the numbers before. */
  scale: number;
}

/** An exponential and three passes. */
const FLOPS_OF_ELEMENT = 20;

export function softmaxOnHeap({
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
  inParts(FLOPS_OF_ELEMENT * rows * heads * end, (parts) => {
    for (const [row, count] of piecesOf(rows, parts, 1)) {
      const line = address + row * heads * width;
      const last = 4 * (end + row * growth);
      call('softmax', [line, count, heads, width, 4 * first, 4 * second, last, 4 * growth, scale]);
    }
  });
}
