/** A tile of a product: a few rows by a few columns of C, with their sums in registers. */
import { loadSplat, multiplyAdd, splat } from './lanes';

/** Numbers of rows, or of vectors of columns, as types, so that the compiler makes a function for each. */
export type One = u8;
export type Two = u16;
export type Three = u32;

/**
 * One to three rows, and as many columns as one to three lanes T have.
 *
 * @param b, rowB the panel, or B itself if its columns are adjacent
 */
export function tile<T, Rows, Lanes>(
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
  let s00 = splat<T>(0);
  let s01 = splat<T>(0);
  let s02 = splat<T>(0);
  let s10 = splat<T>(0);
  let s11 = splat<T>(0);
  let s12 = splat<T>(0);
  let s20 = splat<T>(0);
  let s21 = splat<T>(0);
  let s22 = splat<T>(0);
  if (from) {
    s00 = load<T>(from);
    if (sizeof<Lanes>() > 1) s01 = load<T>(from, 16);
    if (sizeof<Lanes>() > 2) s02 = load<T>(from, 32);
    if (sizeof<Rows>() > 1) {
      s10 = load<T>(from + rowFrom);
      if (sizeof<Lanes>() > 1) s11 = load<T>(from + rowFrom, 16);
      if (sizeof<Lanes>() > 2) s12 = load<T>(from + rowFrom, 32);
    }
    if (sizeof<Rows>() > 2) {
      s20 = load<T>(from + rowFrom + rowFrom);
      if (sizeof<Lanes>() > 1) s21 = load<T>(from + rowFrom + rowFrom, 16);
      if (sizeof<Lanes>() > 2) s22 = load<T>(from + rowFrom + rowFrom, 32);
    }
  }
  let a0 = a;
  let a1 = a0 + rowA;
  let a2 = a1 + rowA;
  let left = k;
  while (left) {
    const b0 = load<T>(b);
    let b1 = b0;
    let b2 = b0;
    if (sizeof<Lanes>() > 1) b1 = load<T>(b, 16);
    if (sizeof<Lanes>() > 2) b2 = load<T>(b, 32);
    const x0 = loadSplat<T>(a0);
    s00 = multiplyAdd<T>(x0, b0, s00);
    if (sizeof<Lanes>() > 1) s01 = multiplyAdd<T>(x0, b1, s01);
    if (sizeof<Lanes>() > 2) s02 = multiplyAdd<T>(x0, b2, s02);
    if (sizeof<Rows>() > 1) {
      const x1 = loadSplat<T>(a1);
      s10 = multiplyAdd<T>(x1, b0, s10);
      if (sizeof<Lanes>() > 1) s11 = multiplyAdd<T>(x1, b1, s11);
      if (sizeof<Lanes>() > 2) s12 = multiplyAdd<T>(x1, b2, s12);
    }
    if (sizeof<Rows>() > 2) {
      const x2 = loadSplat<T>(a2);
      s20 = multiplyAdd<T>(x2, b0, s20);
      if (sizeof<Lanes>() > 1) s21 = multiplyAdd<T>(x2, b1, s21);
      if (sizeof<Lanes>() > 2) s22 = multiplyAdd<T>(x2, b2, s22);
    }
    b += rowB;
    a0 += stepA;
    if (sizeof<Rows>() > 1) a1 += stepA;
    if (sizeof<Rows>() > 2) a2 += stepA;
    left--;
  }
  store<T>(c, s00);
  if (sizeof<Lanes>() > 1) store<T>(c, s01, 16);
  if (sizeof<Lanes>() > 2) store<T>(c, s02, 32);
  if (sizeof<Rows>() > 1) {
    store<T>(c + rowC, s10);
    if (sizeof<Lanes>() > 1) store<T>(c + rowC, s11, 16);
    if (sizeof<Lanes>() > 2) store<T>(c + rowC, s12, 32);
  }
  if (sizeof<Rows>() > 2) {
    store<T>(c + rowC + rowC, s20);
    if (sizeof<Lanes>() > 1) store<T>(c + rowC + rowC, s21, 16);
    if (sizeof<Lanes>() > 2) store<T>(c + rowC + rowC, s22, 32);
  }
}
