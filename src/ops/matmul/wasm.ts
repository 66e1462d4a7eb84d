/**
 * C = A B in the memory of tfjs's wasm backend, by the kernel in src/ops/assembly/product.ts. tfjs multiplies batches
 * one number at a time and packs a new copy of B for each matrix. It takes no strides, so every other layout needs a
 * copy first.
 */
import { call, fmaProduct, inParts, piecesOf, threadsOpen } from '../../gpu/wasm-kernels';
import type { Rows } from '../lib/row-kernel';

/** Matrices with strides in bytes: element (i, j) of matrix z is at `at + z * next + i * row + j * step`. */
export interface Strided {
  at: number;
  row: number;
  step: number;
  next: number;
  /** True for bf16, whose values are exact in float32. Only B may be bf16. */
  isHalf?: boolean;
}

/** Float32 matrices with adjacent columns. @param row, next in numbers */
export const strided = (at: number, row: number, next = 0): Strided => ({
  at,
  row: 4 * row,
  step: 4,
  next: 4 * next,
});

/** Names each field, because a rest pattern takes twenty times as long. */
export const transposed = ({ at, row, step, next, isHalf }: Strided): Strided => {
  return { at, row: step, step: row, next, isHalf };
};

interface ProductOptions {
  /** Number of matrices (default 1). */
  batch?: number;
  /** True if the product may use FMA (see `allowsFma`). Every product with bf16 may. */
  fma?: boolean;
  /** Matrices to which the product is added, as far apart as those of C. */
  from?: Rows | undefined;
}

/** Products with fewer columns are divided by rows, because a part should reuse its packed columns for many rows. */
const FEW_COLUMNS = 128;

/**
 * C [m, n] = A B, with sums over k. Writes every number of C, even if k is 0.
 *
 * @param c with adjacent columns
 */
export function multiplyWasm(
  a: Strided,
  b: Strided,
  c: Strided,
  [m, n, k]: readonly [number, number, number],
  { batch = 1, fma = false, from: [from, rowFrom] = [0, 0] }: ProductOptions = {},
): void {
  const kernel = b.isHalf || fma ? fmaProduct() : 'product';
  const part = (first: number, count: number, i: number, rows: number, j: number, columns: number): void =>
    // prettier-ignore
    call(kernel, [
      a.at + first * a.next + i * a.row, b.at + first * b.next + j * b.step, c.at + first * c.next + i * c.row + 4 * j,
      count, rows, columns, k, a.next, b.next, c.next, a.row, a.step, b.row, b.step, c.row,
      from && from + first * c.next + i * rowFrom + 4 * j, rowFrom, c.next, b.isHalf ? 1 : 0,
    ]);
  const isDividedByRows = n < FEW_COLUMNS || (n < m && n < FEW_COLUMNS * threadsOpen());
  inParts(2 * batch * m * n * k, (parts) => {
    if (parts === 1) part(0, batch, 0, m, 0, n);
    else if (batch >= 2 * parts)
      for (const [first, count] of piecesOf(batch, parts, 1)) part(first, count, 0, m, 0, n);
    else if (isDividedByRows) for (const [i, rows] of piecesOf(m, parts, 4)) part(0, batch, i, rows, 0, n);
    else for (const [j, columns] of piecesOf(n, parts, 8)) part(0, batch, 0, m, j, columns);
  });
}
