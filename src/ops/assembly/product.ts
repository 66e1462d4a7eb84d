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
import { tile12, OneRow, TwoRows, ThreeRows, tile4x8, tile4, tile1 } from './tiles';

/** Fewest rows of C for which packing pays when B's columns are already adjacent. */
const FEWEST_ROWS_PACKED: usize = 32;
/** Numbers of A in one block and one run: a quarter of a second-level cache. */
const BLOCK_NUMBERS: usize = 65536;

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
  let j: usize = 0;
  // Sixteen columns are two tiles of eight.
  for (; j + 12 <= n && n - j != 16; j += 12) {
    let panel = b + j * stepB;
    let rowOfPanel = rowB;
    if (packed) {
      pack(panel, k, rowB, stepB, 12, half);
      panel = panelAddress;
      rowOfPanel = 48;
    }
    let i: usize = 0;
    let at = a;
    let to = c + 4 * j;
    let with_ = from ? from + 4 * j : 0;
    for (; i + 3 <= m; i += 3) {
      tile12<ThreeRows>(at, rowA, stepA, panel, rowOfPanel, k, to, rowC, with_, rowFrom);
      at += 3 * rowA;
      to += 3 * rowC;
      if (from) with_ += 3 * rowFrom;
    }
    if (i + 2 == m) tile12<TwoRows>(at, rowA, stepA, panel, rowOfPanel, k, to, rowC, with_, rowFrom);
    else if (i < m) tile12<OneRow>(at, rowA, stepA, panel, rowOfPanel, k, to, rowC, with_, rowFrom);
  }
  for (; j + 8 <= n; j += 8) {
    let panel = b + j * stepB;
    let rowOfPanel = rowB;
    if (packed) {
      pack(panel, k, rowB, stepB, 8, half);
      panel = panelAddress;
      rowOfPanel = 32;
    }
    let i: usize = 0;
    let at = a;
    let to = c + 4 * j;
    let with_ = from ? from + 4 * j : 0;
    for (; i + 4 <= m; i += 4) {
      tile4x8(at, rowA, stepA, panel, rowOfPanel, k, to, rowC, with_, rowFrom);
      at += 4 * rowA;
      to += 4 * rowC;
      if (from) with_ += 4 * rowFrom;
    }
    for (; i < m; i++) {
      tile1<v128>(at, stepA, panel, rowOfPanel, k, to, with_);
      tile1<v128>(at, stepA, panel + 16, rowOfPanel, k, to + 16, with_ ? with_ + 16 : 0);
      at += rowA;
      to += rowC;
      if (from) with_ += rowFrom;
    }
  }
  while (j < n) {
    const count: usize = j + 4 <= n ? 4 : 1;
    let panel = b + j * stepB;
    let rowOfPanel = rowB;
    if (packed) {
      pack(panel, k, rowB, stepB, count, half);
      panel = panelAddress;
      rowOfPanel = 4 * count;
    }
    let i: usize = 0;
    let at = a;
    let to = c + 4 * j;
    let with_ = from ? from + 4 * j : 0;
    for (; i + 4 <= m; i += 4) {
      if (count == 4) tile4<v128>(at, rowA, stepA, panel, rowOfPanel, k, to, rowC, with_, rowFrom);
      else tile4<f32>(at, rowA, stepA, panel, rowOfPanel, k, to, rowC, with_, rowFrom);
      at += 4 * rowA;
      to += 4 * rowC;
      if (from) with_ += 4 * rowFrom;
    }
    for (; i < m; i++) {
      if (count == 4) tile1<v128>(at, stepA, panel, rowOfPanel, k, to, with_);
      else tile1<f32>(at, stepA, panel, rowOfPanel, k, to, with_);
      at += rowA;
      to += rowC;
      if (from) with_ += rowFrom;
    }
    j += count;
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
