/**
 * C = A B (+ D) in float32 with strided matrices. B may be bf16.
 *
 * Every element of C is one sum over k in ascending order. Its single accumulator starts at 0 or at D's element. Tiling
 * and division among threads (by rows, columns or matrices) therefore change no bit.
 *
 * Tiles of 3 x 12 elements stay in registers: nine sums, three vectors of B and one number of A fill sixteen registers.
 * B is packed in panels of twelve columns, so the twelve numbers for one k are adjacent. Narrow tiles process the
 * remaining columns. The contraction is split into runs of k, and the rows into blocks. A's numbers for one run and one
 * block then fit in the second-level cache while all columns of B are read. C holds the partial sums between runs. For
 * a few rows and a bf16 B, as in decoding, all terms of A fit in that cache. Each panel of twelve columns then covers
 * all runs, so B is read from main memory once and sequentially.
 */
import { MOST_TERMS, pack, panelAddress } from './pack';
import { tile, One, Two, Three } from './tiles';

/** Fewest rows of C for which packing pays when B's columns are already adjacent. */
const FEWEST_ROWS_PACKED: usize = 32;
/** Numbers of A in one block and one run: a quarter of a second-level cache. */
const BLOCK_NUMBERS: usize = 65536;

/** The product of all rows by as many columns as `Lanes` lanes T have, with these columns of B packed or as stored. */
@inline
function columns<T, Lanes>(
  a: usize,
  b: usize,
  c: usize,
  m: usize,
  k: usize,
  rowA: usize,
  stepA: usize,
  rowB: usize,
  stepB: usize,
  rowC: usize,
  from: usize,
  rowFrom: usize,
  packed: bool,
  half: bool,
): void {
  const count: usize = (sizeof<Lanes>() > 2 ? 3 : sizeof<Lanes>()) * (sizeof<T>() >> 2);
  if (packed) {
    pack(b, k, rowB, stepB, count, half);
    b = panelAddress;
    rowB = count << 2;
  }
  for (; m >= 3; m -= 3) {
    tile<T, Three, Lanes>(a, rowA, stepA, b, rowB, k, c, rowC, from, rowFrom);
    a += 3 * rowA;
    c += 3 * rowC;
    if (from) from += 3 * rowFrom;
  }
  if (m == 2) tile<T, Two, Lanes>(a, rowA, stepA, b, rowB, k, c, rowC, from, rowFrom);
  else if (m) tile<T, One, Lanes>(a, rowA, stepA, b, rowB, k, c, rowC, from, rowFrom);
}

/**
 * One run of one product, with B packed or in its original layout. The function is inlined twice on purpose: the
 * compiler inlines a tile function that has one caller, and V8 then keeps its sums out of registers because the
 * function is too large.
 */
@inline
function run(
  a: usize,
  b: usize,
  c: usize,
  m: usize,
  n: usize,
  k: usize,
  rowA: usize,
  stepA: usize,
  rowB: usize,
  stepB: usize,
  rowC: usize,
  from: usize,
  rowFrom: usize,
  packed: bool,
  half: bool,
): void {
  while (n) {
    let count: usize = 1;
    // Sixteen columns are two tiles of eight.
    if (n >= 12 && n != 16) {
      columns<v128, Three>(a, b, c, m, k, rowA, stepA, rowB, stepB, rowC, from, rowFrom, packed, half);
      count = 12;
    } else if (n >= 8) {
      columns<v128, Two>(a, b, c, m, k, rowA, stepA, rowB, stepB, rowC, from, rowFrom, packed, half);
      count = 8;
    } else if (n >= 4) {
      columns<v128, One>(a, b, c, m, k, rowA, stepA, rowB, stepB, rowC, from, rowFrom, packed, half);
      count = 4;
    } else columns<f32, One>(a, b, c, m, k, rowA, stepA, rowB, stepB, rowC, from, rowFrom, packed, half);
    n -= count;
    b += count * stepB;
    c += count << 2;
    if (from) from += count << 2;
  }
}

/**
 * Batched product. Lengths and strides are in bytes, counts in numbers. Element (i, k) of A is at a + i rowA + k stepA,
 * (k, j) of B at b + k rowB + j stepB, and (i, j) of C at c + i rowC + 4 j. Every element of C is written, even if k is
 * 0.
 *
 * @param from D, or 0 for none; `rowFrom` is its row stride, `nextFrom` its matrix stride
 * @param half 1 if B is bf16
 */
export function product(
  a: usize,
  b: usize,
  c: usize,
  batch: usize,
  m: usize,
  n: usize,
  k: usize,
  nextA: usize,
  nextB: usize,
  nextC: usize,
  rowA: usize,
  stepA: usize,
  rowB: usize,
  stepB: usize,
  rowC: usize,
  from: usize,
  rowFrom: usize,
  nextFrom: usize,
  half: usize,
): void {
  const isHalf = half != 0;
  const size: usize = isHalf ? 2 : 4;
  const packed = isHalf || stepB != size || (m >= FEWEST_ROWS_PACKED && n > 8);
  // Equal runs and blocks avoid a short last one.
  const runs = max<usize>(1, (k + MOST_TERMS - 1) / MOST_TERMS);
  const terms = (k + runs - 1) / runs;
  const mostRows = max<usize>(FEWEST_ROWS_PACKED, BLOCK_NUMBERS / max<usize>(1, terms));
  const blocks = (m + mostRows - 1) / mostRows;
  const rows = (m + blocks - 1) / max<usize>(1, blocks);
  const columns: usize = isHalf && m * k <= BLOCK_NUMBERS ? 12 : n;
  for (let index: usize = 0; index < batch; index++) {
    for (let i: usize = 0; i < m; i += rows) {
      const count = min<usize>(rows, m - i);
      for (let j: usize = 0; j < n; j += columns) {
        const width = min<usize>(columns, n - j);
        const to = c + i * rowC + 4 * j;
        const added = from ? from + i * rowFrom + 4 * j : 0;
        const column = b + j * stepB;
        let done: usize = 0;
        do {
          const left = min<usize>(terms, k - done);
          const begin = done ? to : added;
          const rowBegin = done ? rowC : rowFrom;
          const ra = a + i * rowA + done * stepA;
          const rb = column + done * rowB;
          if (isHalf)
            run(ra, rb, to, count, width, left, rowA, stepA, rowB, stepB, rowC, begin, rowBegin, true, true);
          else run(ra, rb, to, count, width, left, rowA, stepA, rowB, stepB, rowC, begin, rowBegin, packed, false);
          done += terms;
        } while (done < k);
      }
    }
    a += nextA;
    b += nextB;
    c += nextC;
    if (from) from += nextFrom;
  }
}
