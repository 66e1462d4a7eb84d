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
import { loadSplat, multiplyAdd, splat } from './lanes';

/** Terms of a run. A panel of this length fills half of a first-level cache. */
const MOST_TERMS: usize = 384;
/** Fewest rows of C for which packing pays when B's columns are already adjacent. */
const FEWEST_ROWS_PACKED: usize = 32;
/** Numbers of A in one block and one run: a quarter of a second-level cache. */
const BLOCK_NUMBERS: usize = 65536;

const PANEL_NUMBERS: usize = 12 * MOST_TERMS;

/** Address of this instance's packing buffer, which holds PANEL_NUMBERS + 1 numbers. */
let panelAddress: usize = 0;

export function usePanel(address: usize): void {
  panelAddress = address;
}

/** Converts four bf16 to float32. */
@inline
function widen(address: usize): v128 {
  return i32x4.shl(v128.load16x4_u(address), 16);
}

@inline
function loadOne(address: usize, half: bool): f32 {
  return half ? reinterpret<f32>(<i32>load<u16>(address) << 16) : load<f32>(address);
}

@inline
function loadFour(address: usize, half: bool): v128 {
  return half ? widen(address) : v128.load(address);
}

/** Transposes four numbers of columns b to b + 3 into four rows of a panel with `count` columns. */
@inline
function packFour(to: usize, b: usize, stepB: usize, count: usize, half: bool): void {
  const v0 = loadFour(b, half);
  const v1 = loadFour(b + stepB, half);
  const v2 = loadFour(b + stepB + stepB, half);
  const v3 = loadFour(b + stepB + stepB + stepB, half);
  const low = v128.shuffle<f32>(v0, v1, 0, 4, 1, 5);
  const high = v128.shuffle<f32>(v0, v1, 2, 6, 3, 7);
  const low2 = v128.shuffle<f32>(v2, v3, 0, 4, 1, 5);
  const high2 = v128.shuffle<f32>(v2, v3, 2, 6, 3, 7);
  const row = count << 2;
  v128.store(to, v128.shuffle<f32>(low, low2, 0, 1, 4, 5));
  v128.store(to + row, v128.shuffle<f32>(low, low2, 2, 3, 6, 7));
  v128.store(to + row + row, v128.shuffle<f32>(high, high2, 0, 1, 4, 5));
  v128.store(to + row + row + row, v128.shuffle<f32>(high, high2, 2, 3, 6, 7));
}

/** Transposes eight bf16 of each of four columns into eight rows of a panel with twelve columns. */
@inline
function packHalves(to: usize, b: usize, stepB: usize): void {
  const zero = i16x8.splat(0);
  const c0 = v128.load(b);
  const c1 = v128.load(b + stepB);
  const c2 = v128.load(b + stepB + stepB);
  const c3 = v128.load(b + stepB + stepB + stepB);
  const low = v128.shuffle<i16>(c0, c1, 0, 8, 1, 9, 2, 10, 3, 11);
  const high = v128.shuffle<i16>(c0, c1, 4, 12, 5, 13, 6, 14, 7, 15);
  const low2 = v128.shuffle<i16>(c2, c3, 0, 8, 1, 9, 2, 10, 3, 11);
  const high2 = v128.shuffle<i16>(c2, c3, 4, 12, 5, 13, 6, 14, 7, 15);
  // Two rows of four bf16 each; interleaving with zeros converts them to float32.
  const r01 = v128.shuffle<i32>(low, low2, 0, 4, 1, 5);
  const r23 = v128.shuffle<i32>(low, low2, 2, 6, 3, 7);
  const r45 = v128.shuffle<i32>(high, high2, 0, 4, 1, 5);
  const r67 = v128.shuffle<i32>(high, high2, 2, 6, 3, 7);
  v128.store(to, v128.shuffle<i16>(zero, r01, 0, 8, 1, 9, 2, 10, 3, 11));
  v128.store(to, v128.shuffle<i16>(zero, r01, 4, 12, 5, 13, 6, 14, 7, 15), 48);
  v128.store(to, v128.shuffle<i16>(zero, r23, 0, 8, 1, 9, 2, 10, 3, 11), 96);
  v128.store(to, v128.shuffle<i16>(zero, r23, 4, 12, 5, 13, 6, 14, 7, 15), 144);
  v128.store(to, v128.shuffle<i16>(zero, r45, 0, 8, 1, 9, 2, 10, 3, 11), 192);
  v128.store(to, v128.shuffle<i16>(zero, r45, 4, 12, 5, 13, 6, 14, 7, 15), 240);
  v128.store(to, v128.shuffle<i16>(zero, r67, 0, 8, 1, 9, 2, 10, 3, 11), 288);
  v128.store(to, v128.shuffle<i16>(zero, r67, 4, 12, 5, 13, 6, 14, 7, 15), 336);
}

/** Copies twelve columns of B into the panel: [k, 12]. */
function packTwelve(b: usize, k: usize, rowB: usize, stepB: usize, half: bool): void {
  const size: usize = half ? 2 : 4;
  let to = panelAddress;
  let left = k;
  const four = stepB << 2;
  if (rowB == size) {
    if (half) {
      while (left >= 8) {
        packHalves(to, b, stepB);
        packHalves(to + 16, b + four, stepB);
        packHalves(to + 32, b + four + four, stepB);
        to += 384;
        b += 16;
        left -= 8;
      }
    } else {
      while (left >= 4) {
        packFour(to, b, stepB, 12, false);
        packFour(to + 16, b + four, stepB, 12, false);
        packFour(to + 32, b + four + four, stepB, 12, false);
        to += 192;
        b += 16;
        left -= 4;
      }
    }
  } else if (stepB == size) {
    if (half) {
      while (left) {
        v128.store(to, widen(b));
        v128.store(to, widen(b + 8), 16);
        v128.store(to, widen(b + 16), 32);
        to += 48;
        b += rowB;
        left--;
      }
    } else {
      while (left) {
        v128.store(to, v128.load(b));
        v128.store(to, v128.load(b, 16), 16);
        v128.store(to, v128.load(b, 32), 32);
        to += 48;
        b += rowB;
        left--;
      }
    }
  }
  packNumbers(to, b, left, rowB, stepB, 12, half);
}

/**
 * Prefetches twelve columns by reading one number of each cache line. Main memory then serves the reads in parallel
 * instead of one at a time during packing.
 */
function touchTwelve(b: usize, bytes: usize, stepB: usize): void {
  let seen: i32 = 0;
  for (let x = 0; x < 12; x++) {
    for (let i: usize = 0; i < bytes; i += 64) seen ^= load<i32>(b + i);
    b += stepB;
  }
  store<i32>(panelAddress + 4 * PANEL_NUMBERS, seen); // keeps the compiler from removing the reads
}

/** Copies `count` columns number by number. */
function packNumbers(
  to: usize,
  b: usize,
  k: usize,
  rowB: usize,
  stepB: usize,
  count: usize,
  half: bool,
): void {
  while (k--) {
    let at = b;
    for (let x: usize = 0; x < count; x++) {
      store<f32>(to, loadOne(at, half));
      to += 4;
      at += stepB;
    }
    b += rowB;
  }
}

/** Copies `count` columns of B, `k` numbers each, into the panel: [k, count]. */
function pack(b: usize, k: usize, rowB: usize, stepB: usize, count: usize, half: bool): void {
  const size: usize = half ? 2 : 4;
  let to = panelAddress;
  let from = b;
  let left = k;
  if (count >= 4 && rowB == size) {
    // A column's numbers are adjacent, so each step transposes four numbers of four columns.
    const four = stepB << 2;
    while (left >= 4) {
      let column = from;
      for (let x: usize = 0; x < count; x += 4) {
        packFour(to + (x << 2), column, stepB, count, half);
        column += four;
      }
      to += count << 4;
      from += size << 2;
      left -= 4;
    }
  } else if (count >= 4 && stepB == size) {
    while (left) {
      let column = from;
      for (let x: usize = 0; x < count; x += 4) {
        v128.store(to, loadFour(column, half));
        to += 16;
        column += size << 2;
      }
      from += rowB;
      left--;
    }
  }
  packNumbers(to, from, left, rowB, stepB, count, half);
}

/** Three rows, twelve columns. */
function tile3x12(
  a: usize,
  rowA: usize,
  stepA: usize,
  b: usize,
  rowB: usize,
  k: usize,
  c: usize,
  rowC: usize,
  from: usize,
  rowFrom: usize,
): void {
  let s00 = f32x4.splat(0);
  let s01 = f32x4.splat(0);
  let s02 = f32x4.splat(0);
  let s10 = f32x4.splat(0);
  let s11 = f32x4.splat(0);
  let s12 = f32x4.splat(0);
  let s20 = f32x4.splat(0);
  let s21 = f32x4.splat(0);
  let s22 = f32x4.splat(0);
  if (from) {
    s00 = v128.load(from);
    s01 = v128.load(from, 16);
    s02 = v128.load(from, 32);
    s10 = v128.load(from + rowFrom);
    s11 = v128.load(from + rowFrom, 16);
    s12 = v128.load(from + rowFrom, 32);
    s20 = v128.load(from + rowFrom + rowFrom);
    s21 = v128.load(from + rowFrom + rowFrom, 16);
    s22 = v128.load(from + rowFrom + rowFrom, 32);
  }
  let a0 = a;
  let a1 = a0 + rowA;
  let a2 = a1 + rowA;
  let left = k;
  while (left) {
    const b0 = v128.load(b);
    const b1 = v128.load(b, 16);
    const b2 = v128.load(b, 32);
    const x0 = v128.load32_splat(a0);
    s00 = multiplyAdd(x0, b0, s00);
    s01 = multiplyAdd(x0, b1, s01);
    s02 = multiplyAdd(x0, b2, s02);
    const x1 = v128.load32_splat(a1);
    s10 = multiplyAdd(x1, b0, s10);
    s11 = multiplyAdd(x1, b1, s11);
    s12 = multiplyAdd(x1, b2, s12);
    const x2 = v128.load32_splat(a2);
    s20 = multiplyAdd(x2, b0, s20);
    s21 = multiplyAdd(x2, b1, s21);
    s22 = multiplyAdd(x2, b2, s22);
    b += rowB;
    a0 += stepA;
    a1 += stepA;
    a2 += stepA;
    left--;
  }
  v128.store(c, s00);
  v128.store(c, s01, 16);
  v128.store(c, s02, 32);
  v128.store(c + rowC, s10);
  v128.store(c + rowC, s11, 16);
  v128.store(c + rowC, s12, 32);
  v128.store(c + rowC + rowC, s20);
  v128.store(c + rowC + rowC, s21, 16);
  v128.store(c + rowC + rowC, s22, 32);
}

/** Two rows, twelve columns. */
function tile2x12(
  a: usize,
  rowA: usize,
  stepA: usize,
  b: usize,
  rowB: usize,
  k: usize,
  c: usize,
  rowC: usize,
  from: usize,
  rowFrom: usize,
): void {
  let s00 = f32x4.splat(0);
  let s01 = f32x4.splat(0);
  let s02 = f32x4.splat(0);
  let s10 = f32x4.splat(0);
  let s11 = f32x4.splat(0);
  let s12 = f32x4.splat(0);
  if (from) {
    s00 = v128.load(from);
    s01 = v128.load(from, 16);
    s02 = v128.load(from, 32);
    s10 = v128.load(from + rowFrom);
    s11 = v128.load(from + rowFrom, 16);
    s12 = v128.load(from + rowFrom, 32);
  }
  let a0 = a;
  let a1 = a0 + rowA;
  let left = k;
  while (left) {
    const b0 = v128.load(b);
    const b1 = v128.load(b, 16);
    const b2 = v128.load(b, 32);
    const x0 = v128.load32_splat(a0);
    s00 = multiplyAdd(x0, b0, s00);
    s01 = multiplyAdd(x0, b1, s01);
    s02 = multiplyAdd(x0, b2, s02);
    const x1 = v128.load32_splat(a1);
    s10 = multiplyAdd(x1, b0, s10);
    s11 = multiplyAdd(x1, b1, s11);
    s12 = multiplyAdd(x1, b2, s12);
    b += rowB;
    a0 += stepA;
    a1 += stepA;
    left--;
  }
  v128.store(c, s00);
  v128.store(c, s01, 16);
  v128.store(c, s02, 32);
  v128.store(c + rowC, s10);
  v128.store(c + rowC, s11, 16);
  v128.store(c + rowC, s12, 32);
}

/** One row, twelve columns. */
function tile1x12(
  a: usize,
  rowA: usize,
  stepA: usize,
  b: usize,
  rowB: usize,
  k: usize,
  c: usize,
  rowC: usize,
  from: usize,
  rowFrom: usize,
): void {
  let s00 = f32x4.splat(0);
  let s01 = f32x4.splat(0);
  let s02 = f32x4.splat(0);
  if (from) {
    s00 = v128.load(from);
    s01 = v128.load(from, 16);
    s02 = v128.load(from, 32);
  }
  let a0 = a;
  let left = k;
  while (left) {
    const b0 = v128.load(b);
    const b1 = v128.load(b, 16);
    const b2 = v128.load(b, 32);
    const x0 = v128.load32_splat(a0);
    s00 = multiplyAdd(x0, b0, s00);
    s01 = multiplyAdd(x0, b1, s01);
    s02 = multiplyAdd(x0, b2, s02);
    b += rowB;
    a0 += stepA;
    left--;
  }
  v128.store(c, s00);
  v128.store(c, s01, 16);
  v128.store(c, s02, 32);
}

/** Rows i to i + 3, eight columns. @param b, rowB the panel, or B itself if its columns are adjacent */
function tile4x8(
  a: usize,
  rowA: usize,
  stepA: usize,
  b: usize,
  rowB: usize,
  k: usize,
  c: usize,
  rowC: usize,
  from: usize,
  rowFrom: usize,
): void {
  let s00 = f32x4.splat(0);
  let s01 = f32x4.splat(0);
  let s10 = f32x4.splat(0);
  let s11 = f32x4.splat(0);
  let s20 = f32x4.splat(0);
  let s21 = f32x4.splat(0);
  let s30 = f32x4.splat(0);
  let s31 = f32x4.splat(0);
  if (from) {
    let at = from;
    s00 = v128.load(at);
    s01 = v128.load(at, 16);
    at += rowFrom;
    s10 = v128.load(at);
    s11 = v128.load(at, 16);
    at += rowFrom;
    s20 = v128.load(at);
    s21 = v128.load(at, 16);
    at += rowFrom;
    s30 = v128.load(at);
    s31 = v128.load(at, 16);
  }
  let a0 = a;
  let a1 = a0 + rowA;
  let a2 = a1 + rowA;
  let a3 = a2 + rowA;
  let left = k;
  while (left) {
    const b0 = v128.load(b);
    const b1 = v128.load(b, 16);
    const x0 = v128.load32_splat(a0);
    s00 = multiplyAdd(x0, b0, s00);
    s01 = multiplyAdd(x0, b1, s01);
    const x1 = v128.load32_splat(a1);
    s10 = multiplyAdd(x1, b0, s10);
    s11 = multiplyAdd(x1, b1, s11);
    const x2 = v128.load32_splat(a2);
    s20 = multiplyAdd(x2, b0, s20);
    s21 = multiplyAdd(x2, b1, s21);
    const x3 = v128.load32_splat(a3);
    s30 = multiplyAdd(x3, b0, s30);
    s31 = multiplyAdd(x3, b1, s31);
    b += rowB;
    a0 += stepA;
    a1 += stepA;
    a2 += stepA;
    a3 += stepA;
    left--;
  }
  let to = c;
  v128.store(to, s00);
  v128.store(to, s01, 16);
  to += rowC;
  v128.store(to, s10);
  v128.store(to, s11, 16);
  to += rowC;
  v128.store(to, s20);
  v128.store(to, s21, 16);
  to += rowC;
  v128.store(to, s30);
  v128.store(to, s31, 16);
}

/** Rows i to i + 3, one lane type of columns: 4 or 1. */
@inline
function tile4<T>(
  a: usize,
  rowA: usize,
  stepA: usize,
  b: usize,
  rowB: usize,
  k: usize,
  c: usize,
  rowC: usize,
  from: usize,
  rowFrom: usize,
): void {
  let s0 = splat<T>(0);
  let s1 = splat<T>(0);
  let s2 = splat<T>(0);
  let s3 = splat<T>(0);
  if (from) {
    s0 = load<T>(from);
    s1 = load<T>(from + rowFrom);
    s2 = load<T>(from + 2 * rowFrom);
    s3 = load<T>(from + 3 * rowFrom);
  }
  let a0 = a;
  let a1 = a0 + rowA;
  let a2 = a1 + rowA;
  let a3 = a2 + rowA;
  let left = k;
  while (left) {
    const b0 = load<T>(b);
    s0 = multiplyAdd<T>(loadSplat<T>(a0), b0, s0);
    s1 = multiplyAdd<T>(loadSplat<T>(a1), b0, s1);
    s2 = multiplyAdd<T>(loadSplat<T>(a2), b0, s2);
    s3 = multiplyAdd<T>(loadSplat<T>(a3), b0, s3);
    b += rowB;
    a0 += stepA;
    a1 += stepA;
    a2 += stepA;
    a3 += stepA;
    left--;
  }
  store<T>(c, s0);
  store<T>(c + rowC, s1);
  store<T>(c + 2 * rowC, s2);
  store<T>(c + 3 * rowC, s3);
}

/** One row, 32 columns. */
function tile1x32(a: usize, stepA: usize, b: usize, rowB: usize, k: usize, c: usize, from: usize): void {
  let s0 = f32x4.splat(0);
  let s1 = f32x4.splat(0);
  let s2 = f32x4.splat(0);
  let s3 = f32x4.splat(0);
  let s4 = f32x4.splat(0);
  let s5 = f32x4.splat(0);
  let s6 = f32x4.splat(0);
  let s7 = f32x4.splat(0);
  if (from) {
    s0 = v128.load(from);
    s1 = v128.load(from, 16);
    s2 = v128.load(from, 32);
    s3 = v128.load(from, 48);
    s4 = v128.load(from, 64);
    s5 = v128.load(from, 80);
    s6 = v128.load(from, 96);
    s7 = v128.load(from, 112);
  }
  let left = k;
  while (left) {
    const x = v128.load32_splat(a);
    s0 = multiplyAdd(x, v128.load(b), s0);
    s1 = multiplyAdd(x, v128.load(b, 16), s1);
    s2 = multiplyAdd(x, v128.load(b, 32), s2);
    s3 = multiplyAdd(x, v128.load(b, 48), s3);
    s4 = multiplyAdd(x, v128.load(b, 64), s4);
    s5 = multiplyAdd(x, v128.load(b, 80), s5);
    s6 = multiplyAdd(x, v128.load(b, 96), s6);
    s7 = multiplyAdd(x, v128.load(b, 112), s7);
    b += rowB;
    a += stepA;
    left--;
  }
  v128.store(c, s0);
  v128.store(c, s1, 16);
  v128.store(c, s2, 32);
  v128.store(c, s3, 48);
  v128.store(c, s4, 64);
  v128.store(c, s5, 80);
  v128.store(c, s6, 96);
  v128.store(c, s7, 112);
}

/** One row, eight columns. */
@inline
function tile1x8(a: usize, stepA: usize, b: usize, rowB: usize, k: usize, c: usize, from: usize): void {
  let s0 = f32x4.splat(0);
  let s1 = f32x4.splat(0);
  if (from) {
    s0 = v128.load(from);
    s1 = v128.load(from, 16);
  }
  let left = k;
  while (left) {
    const x = v128.load32_splat(a);
    s0 = multiplyAdd(x, v128.load(b), s0);
    s1 = multiplyAdd(x, v128.load(b, 16), s1);
    b += rowB;
    a += stepA;
    left--;
  }
  v128.store(c, s0);
  v128.store(c, s1, 16);
}

/** One row, one lane type of columns. */
@inline
function tile1<T>(a: usize, stepA: usize, b: usize, rowB: usize, k: usize, c: usize, from: usize): void {
  let s = splat<T>(0);
  if (from) s = load<T>(from);
  let left = k;
  while (left) {
    s = multiplyAdd<T>(loadSplat<T>(a), load<T>(b), s);
    b += rowB;
    a += stepA;
    left--;
  }
  store<T>(c, s);
}

/** Multiplies a few rows by adjacent columns of B, row by row. */
function skinnyProduct(
  a: usize,
  b: usize,
  c: usize,
  m: usize,
  n: usize,
  k: usize,
  rowA: usize,
  stepA: usize,
  rowB: usize,
  rowC: usize,
  from: usize,
  rowFrom: usize,
): void {
  const bytes = n << 2;
  while (m--) {
    let j: usize = 0;
    for (; j + 128 <= bytes; j += 128) tile1x32(a, stepA, b + j, rowB, k, c + j, from ? from + j : 0);
    for (; j + 32 <= bytes; j += 32) tile1x8(a, stepA, b + j, rowB, k, c + j, from ? from + j : 0);
    if (j + 16 <= bytes) {
      tile1<v128>(a, stepA, b + j, rowB, k, c + j, from ? from + j : 0);
      j += 16;
    }
    for (; j < bytes; j += 4) tile1<f32>(a, stepA, b + j, rowB, k, c + j, from ? from + j : 0);
    a += rowA;
    c += rowC;
    if (from) from += rowFrom;
  }
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
  let j: usize = 0;
  // Sixteen columns are two tiles of eight.
  for (; j + 12 <= n && n - j != 16; j += 12) {
    let panel = b + j * stepB;
    let rowOfPanel = rowB;
    if (packed) {
      packTwelve(panel, k, rowB, stepB, half);
      panel = panelAddress;
      rowOfPanel = 48;
    }
    let i: usize = 0;
    let at = a;
    let to = c + 4 * j;
    let with_ = from ? from + 4 * j : 0;
    for (; i + 3 <= m; i += 3) {
      tile3x12(at, rowA, stepA, panel, rowOfPanel, k, to, rowC, with_, rowFrom);
      at += 3 * rowA;
      to += 3 * rowC;
      if (from) with_ += 3 * rowFrom;
    }
    if (i + 2 == m) tile2x12(at, rowA, stepA, panel, rowOfPanel, k, to, rowC, with_, rowFrom);
    else if (i < m) tile1x12(at, rowA, stepA, panel, rowOfPanel, k, to, rowC, with_, rowFrom);
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
      tile1x8(at, stepA, panel, rowOfPanel, k, to, with_);
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
  if (!packed && m < 3) {
    while (batch--) {
      skinnyProduct(a, b, c, m, n, k, rowA, stepA, rowB, rowC, from, rowFrom);
      a += nextA;
      b += nextB;
      c += nextC;
      if (from) from += nextFrom;
    }
    return;
  }
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
        if (columns == 12 && rowB == size && j + 24 <= n) touchTwelve(column + 12 * stepB, k * size, stepB);
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
