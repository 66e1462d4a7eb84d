/**
 * Arithmetic on one float32 or on four at once. Each kernel body is written once for a lane type T: `v128` handles most
 * columns of a row, `f32` the remainder. A product and a sum are rounded separately, so both types give the same bits
 * on every machine. The one exception is `multiplyAdd` in the module `fma.ts`.
 */

@inline
export function add<T>(a: T, b: T): T {
  if (isVector<T>()) return f32x4.add(a, b);
  else return a + b;
}

@inline
export function sub<T>(a: T, b: T): T {
  if (isVector<T>()) return f32x4.sub(a, b);
  else return a - b;
}

@inline
export function mul<T>(a: T, b: T): T {
  if (isVector<T>()) return f32x4.mul(a, b);
  else return a * b;
}

@inline
export function div<T>(a: T, b: T): T {
  if (isVector<T>()) return f32x4.div(a, b);
  else return a / b;
}

/** a b + c. With relaxed SIMD this is one instruction. It rounds once if the processor has FMA, otherwise twice. */
@inline
export function multiplyAdd<T>(a: T, b: T, c: T): T {
  if (ASC_FEATURE_RELAXED_SIMD) {
    if (isVector<T>()) return f32x4.relaxed_madd(a, b, c);
    else return f32x4.extract_lane(f32x4.relaxed_madd(f32x4.splat(a), f32x4.splat(b), f32x4.splat(c)), 0);
  } else return add<T>(c, mul<T>(a, b));
}

/** Broadcasts `value` to every lane. */
@inline
export function splat<T>(value: f32): T {
  if (isVector<T>()) return f32x4.splat(value);
  else return value;
}

/** Loads one float32 and broadcasts it to every lane. */
@inline
export function loadSplat<T>(address: usize): T {
  if (isVector<T>()) return v128.load32_splat(address);
  else return load<f32>(address);
}

/** Loads every second float32: the first, third, and so on, or (`isOdd`) the ones between them. */
@inline
export function loadAlternate<T>(address: usize, isOdd: bool): T {
  if (isVector<T>()) {
    const low = v128.load(address);
    const high = v128.load(address, 16);
    return isOdd ? v128.shuffle<f32>(low, high, 1, 3, 5, 7) : v128.shuffle<f32>(low, high, 0, 2, 4, 6);
  } else return load<f32>(isOdd ? address + 4 : address);
}

@inline
export function squareRoot<T>(a: T): T {
  if (isVector<T>()) return f32x4.sqrt(a);
  else return sqrt<f32>(a);
}

/** Sum of the four lanes, from the first to the last. */
@inline
export function sumLanes(v: v128): f32 {
  return (
    f32x4.extract_lane(v, 0) +
    f32x4.extract_lane(v, 1) +
    f32x4.extract_lane(v, 2) +
    f32x4.extract_lane(v, 3)
  );
}

/** Largest of the four lanes. */
@inline
export function maxLanes(v: v128): f32 {
  return max<f32>(
    max<f32>(max<f32>(f32x4.extract_lane(v, 0), f32x4.extract_lane(v, 1)), f32x4.extract_lane(v, 2)),
    f32x4.extract_lane(v, 3),
  );
}

/**
 * e^x for four numbers that are at most 0; returns 0 below -87.3. Cody and Waite's reduction by ln 2 in two parts
 * precedes a polynomial of degree 5. The error is at most 2 units in the last place.
 */
@inline
export function expOfNegative(x: v128): v128 {
  // Adding 1.5 * 2^23 + 127 rounds to an integer and leaves the biased exponent in the low bits.
  const rounder = f32x4.splat(<f32>12583039);
  const shifted = f32x4.add(f32x4.mul(x, f32x4.splat(<f32>1.4426950216293335)), rounder);
  const scale = i32x4.shl(shifted, 23);
  const n = f32x4.sub(shifted, rounder);
  let t = f32x4.add(f32x4.mul(n, f32x4.splat(<f32>-0.693145751953125)), x);
  t = f32x4.add(f32x4.mul(n, f32x4.splat(<f32>-0.000001428606765330187)), t);
  let p = f32x4.splat(<f32>0.008289290592074394);
  p = f32x4.add(f32x4.mul(p, t), f32x4.splat(<f32>0.04189782217144966));
  p = f32x4.add(f32x4.mul(p, t), f32x4.splat(<f32>0.16667652130126953));
  p = f32x4.add(f32x4.mul(p, t), f32x4.splat(<f32>0.4999915063381195));
  p = f32x4.add(f32x4.mul(p, t), f32x4.splat(<f32>0.9999997019767761));
  t = f32x4.mul(t, scale);
  const value = f32x4.add(f32x4.mul(t, p), scale);
  return v128.andnot(value, f32x4.lt(x, f32x4.splat(<f32>-87.33654022216797)));
}

/** `expOfNegative` for one number. */
@inline
export function expOfOneNegative(x: f32): f32 {
  return f32x4.extract_lane(expOfNegative(f32x4.splat(x)), 0);
}
