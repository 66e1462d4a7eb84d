/** Tiles of a product: a few rows by a few columns of C, with their sums in registers. */
import { loadSplat, multiplyAdd, splat } from './lanes';

/** Numbers of rows of a tile, as types, so that the compiler makes a function for each. */
export type OneRow = u8;
export type TwoRows = u16;
export type ThreeRows = u32;

/** One, two or three rows, twelve columns. */
export function tile12<Rows>(
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
    if (sizeof<Rows>() >= sizeof<TwoRows>()) {
      s10 = v128.load(from + rowFrom);
      s11 = v128.load(from + rowFrom, 16);
      s12 = v128.load(from + rowFrom, 32);
    }
    if (sizeof<Rows>() == sizeof<ThreeRows>()) {
      s20 = v128.load(from + rowFrom + rowFrom);
      s21 = v128.load(from + rowFrom + rowFrom, 16);
      s22 = v128.load(from + rowFrom + rowFrom, 32);
    }
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
    if (sizeof<Rows>() >= sizeof<TwoRows>()) {
      const x1 = v128.load32_splat(a1);
      s10 = multiplyAdd(x1, b0, s10);
      s11 = multiplyAdd(x1, b1, s11);
      s12 = multiplyAdd(x1, b2, s12);
    }
    if (sizeof<Rows>() == sizeof<ThreeRows>()) {
      const x2 = v128.load32_splat(a2);
      s20 = multiplyAdd(x2, b0, s20);
      s21 = multiplyAdd(x2, b1, s21);
      s22 = multiplyAdd(x2, b2, s22);
    }
    b += rowB;
    a0 += stepA;
    if (sizeof<Rows>() >= sizeof<TwoRows>()) a1 += stepA;
    if (sizeof<Rows>() == sizeof<ThreeRows>()) a2 += stepA;
    left--;
  }
  v128.store(c, s00);
  v128.store(c, s01, 16);
  v128.store(c, s02, 32);
  if (sizeof<Rows>() >= sizeof<TwoRows>()) {
    v128.store(c + rowC, s10);
    v128.store(c + rowC, s11, 16);
    v128.store(c + rowC, s12, 32);
  }
  if (sizeof<Rows>() == sizeof<ThreeRows>()) {
    v128.store(c + rowC + rowC, s20);
    v128.store(c + rowC + rowC, s21, 16);
    v128.store(c + rowC + rowC, s22, 32);
  }
}

/** Rows i to i + 3, eight columns. @param b, rowB the panel, or B itself if its columns are adjacent */
export function tile4x8(
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
export function tile4<T>(
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

/** One row, one lane type of columns. */
@inline
export function tile1<T>(a: usize, stepA: usize, b: usize, rowB: usize, k: usize, c: usize, from: usize): void {
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
