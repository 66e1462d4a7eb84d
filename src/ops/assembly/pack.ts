/** Packs columns of B into a panel, in which the numbers for one k are adjacent. bf16 is widened to float32. */

/** Terms of a run. A panel of this length fills half of a first-level cache. */
export const MOST_TERMS: usize = 384;

/** Address of this instance's packing buffer, which holds 12 * MOST_TERMS numbers. */
export let panelAddress: usize = 0;

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
export function pack(b: usize, k: usize, rowB: usize, stepB: usize, count: usize, half: bool): void {
  const size: usize = half ? 2 : 4;
  let to = panelAddress;
  let from = b;
  let left = k;
  if (count >= 4 && rowB == size) {
    // A column's numbers are adjacent, so each step transposes four numbers of four columns, or eight bf16.
    const four = stepB << 2;
    if (half && count == 12) {
      while (left >= 8) {
        packHalves(to, from, stepB);
        packHalves(to + 16, from + four, stepB);
        packHalves(to + 32, from + four + four, stepB);
        to += 384;
        from += 16;
        left -= 8;
      }
    }
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
