/** In-place masked softmax over rows, in the memory of tfjs's wasm backend. */
import { call, inParts, piecesOf } from '../../gpu/wasm-kernels';

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
const FLOPS_OF_ELEMENT = 20;

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
  inParts(FLOPS_OF_ELEMENT * rows * heads * end, (parts) => {
    for (const [row, count] of piecesOf(rows, parts, 1)) {
      const line = address + row * heads * width;
      const last = 4 * (end + row * growth);
      call('softmax', [line, count, heads, width, 4 * first, 4 * second, last, 4 * growth, scale]);
    }
  });
}
