/**
 * C = A B in the memory of tfjs's wasm backend, by the kernel in src/ops/assembly/product.ts. tfjs multiplies batches one
 * number at a time, packs a copy of B anew for each single matrix, and takes no strides, so that every other layout costs
 * a copy before.
 */
import { call, fmaProduct, inParts, piecesOf, threadsOpen } from '../../gpu/wasm-kernels';

/** All lengths and strides in bytes, but for the counts. A's element (i, k) lies at `a + i * rowA + k * stepA`. */
export interface StridedProduct {
  a: number;
  b: number;
  c: number;
  m: number;
  n: number;
  k: number;
  /** Matrices one after the other, 1 where left out, and from one to the next. */
  batch?: number;
  nextA?: number;
  nextB?: number;
  nextC?: number;
  rowA: number;
  /** 4 where left out. */
  stepA?: number;
  /** B's element (k, j) lies at `b + k * rowB + j * stepB`. */
  rowB: number;
  /** The size of B's numbers where left out. */
  stepB?: number;
  /** C's columns are adjacent. */
  rowC: number;
  /** Whether B is bf16: each of its numbers is exact in float32. */
  isHalf?: boolean;
  /** Whether it may use FMA, as every product by bf16 may: see `allowsFma`. */
  fma?: boolean;
  /** What the product is added to, where that is given: rows as long as C's, as far apart as those where left out. */
  from?: number;
  rowFrom?: number;
}

/** Below so many columns a product is divided by rows: a part should pack its columns for many rows. */
const FEW_COLUMNS = 128;

/** Every number of C is written, also where k is 0. */
export function multiplyOnHeap(p: StridedProduct): void {
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
