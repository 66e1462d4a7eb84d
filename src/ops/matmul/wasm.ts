/**
 * C = A B in the memory of tfjs's wasm backend, by the kernel in src/ops/assembly/product.ts. tfjs multiplies batches
 * one number at a time and packs a new copy of B for each matrix. It takes no strides, so every other layout needs a
 * copy first.
 */
import { call, fmaProduct, inParts, piecesOf, threadsOpen } from '../../gpu/wasm-kernels';

/** Lengths and strides are in bytes, counts in numbers. Element (i, k) of A is at `a + i * rowA + k * stepA`. */
export interface StridedProduct {
  a: number;
  b: number;
  c: number;
  m: number;
  n: number;
  k: number;
  /** Number of matrices (default 1), and the strides between them. */
  batch?: number;
  nextA?: number;
  nextB?: number;
  nextC?: number;
  rowA: number;
  /** Default 4. */
  stepA?: number;
  /** Element (k, j) of B is at `b + k * rowB + j * stepB`. */
  rowB: number;
  /** Default: the size of B's numbers. */
  stepB?: number;
  /** C's columns are adjacent. */
  rowC: number;
  /** True if B is bf16, whose values are exact in float32. */
  isHalf?: boolean;
  /** True if the product may use FMA (see `allowsFma`). Every product with bf16 may. */
  fma?: boolean;
  /** Optional matrix to which the product is added. Its rows have C's length and, by default, C's stride. */
  from?: number;
  rowFrom?: number;
}

/** Products with fewer columns are divided by rows, because a part should reuse its packed columns for many rows. */
const FEW_COLUMNS = 128;

/** Writes every number of C, even if k is 0. */
export function multiplyWasm(p: StridedProduct): void {
  const { a, b, c, m, n, k, rowA, stepA = 4, rowB, isHalf = false, rowC, from = 0, rowFrom = rowC } = p;
  const kernel = isHalf || p.fma ? fmaProduct() : 'product';
  const { batch = 1, nextA = 0, nextB = 0, nextC = 0, stepB = isHalf ? 2 : 4 } = p;
  const part = (first: number, count: number, i: number, rows: number, j: number, columns: number): void =>
    // prettier-ignore
    call(kernel, [
      a + first * nextA + i * rowA, b + first * nextB + j * stepB, c + first * nextC + i * rowC + 4 * j,
      count, rows, columns, k, nextA, nextB, nextC, rowA, stepA, rowB, stepB, rowC,
      from && from + first * nextC + i * rowFrom + 4 * j, rowFrom, nextC, isHalf ? 1 : 0,
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
