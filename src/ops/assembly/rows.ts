/**
 * Kernels over the rows of float32 matrices: norms, gated activation, rotary positions, scaled sums. Every kernel takes
 * the number of rows and the row length. For each matrix it takes the address of row 0 and the row stride in bytes; a
 * stride of 0 repeats one row. Sums accumulate in four lanes, which are added at the end.
 */
import { add, div, expOfNegative, expOfOneNegative, loadAlternate, mul, splat, squareRoot, sub, sumLanes } from './lanes';

@inline
function scaleAt<T>(x: usize, to: usize, scale: f32): void {
  store<T>(to, mul<T>(load<T>(x), splat<T>(scale)));
}

/** to = scale x */
export function scaleRows(
  rows: usize,
  width: usize,
  x: usize,
  stepX: usize,
  to: usize,
  stepTo: usize,
  scale: f32,
): void {
  const bytes = width << 2;
  while (rows--) {
    let i: usize = 0;
    for (; i + 16 <= bytes; i += 16) scaleAt<v128>(x + i, to + i, scale);
    for (; i < bytes; i += 4) scaleAt<f32>(x + i, to + i, scale);
    x += stepX;
    to += stepTo;
  }
}

@inline
function normaliseAt<T>(x: usize, gain: usize, y: usize, r: f32): void {
  store<T>(y, mul<T>(mul<T>(load<T>(x), splat<T>(r)), load<T>(gain)));
}

/** y = x r gain with r = 1 / sqrt(mean x² + epsilon). r is stored for the gradient. */
export function rmsNorm(
  rows: usize,
  width: usize,
  x: usize,
  stepX: usize,
  gain: usize,
  stepGain: usize,
  inverse: usize,
  stepInverse: usize,
  y: usize,
  stepY: usize,
  epsilon: f32,
): void {
  const bytes = width << 2;
  while (rows--) {
    let squares = f32x4.splat(0);
    let i: usize = 0;
    for (; i + 16 <= bytes; i += 16) {
      const v = v128.load(x + i);
      squares = f32x4.add(squares, f32x4.mul(v, v));
    }
    let total = sumLanes(squares);
    for (; i < bytes; i += 4) total += load<f32>(x + i) * load<f32>(x + i);
    const r = <f32>1 / sqrt<f32>(total / <f32>width + epsilon);
    store<f32>(inverse, r);
    i = 0;
    for (; i + 16 <= bytes; i += 16) normaliseAt<v128>(x + i, gain + i, y + i, r);
    for (; i < bytes; i += 4) normaliseAt<f32>(x + i, gain + i, y + i, r);
    x += stepX;
    gain += stepGain;
    inverse += stepInverse;
    y += stepY;
  }
}

@inline
function alongAt<T>(dy: usize, x: usize, gain: usize, r: f32): T {
  return mul<T>(mul<T>(load<T>(dy), load<T>(gain)), mul<T>(load<T>(x), splat<T>(r)));
}

@inline
function normGradientAt<T>(dy: usize, x: usize, gain: usize, dx: usize, r: f32, along: f32): void {
  const normal = mul<T>(load<T>(x), splat<T>(r));
  const g = mul<T>(load<T>(dy), load<T>(gain));
  store<T>(dx, mul<T>(splat<T>(r), sub<T>(g, mul<T>(normal, splat<T>(along)))));
}

/** dx = r (dy gain - n mean(dy gain n)) with n = x r */
export function rmsNormGradient(
  rows: usize,
  width: usize,
  dy: usize,
  stepDy: usize,
  x: usize,
  stepX: usize,
  gain: usize,
  stepGain: usize,
  inverse: usize,
  stepInverse: usize,
  dx: usize,
  stepDx: usize,
): void {
  const bytes = width << 2;
  while (rows--) {
    const r = load<f32>(inverse);
    let sums = f32x4.splat(0);
    let i: usize = 0;
    for (; i + 16 <= bytes; i += 16) sums = f32x4.add(sums, alongAt<v128>(dy + i, x + i, gain + i, r));
    let along = sumLanes(sums);
    for (; i < bytes; i += 4) along += alongAt<f32>(dy + i, x + i, gain + i, r);
    along /= <f32>width;
    i = 0;
    for (; i + 16 <= bytes; i += 16) normGradientAt<v128>(dy + i, x + i, gain + i, dx + i, r, along);
    for (; i < bytes; i += 4) normGradientAt<f32>(dy + i, x + i, gain + i, dx + i, r, along);
    dy += stepDy;
    x += stepX;
    gain += stepGain;
    inverse += stepInverse;
    dx += stepDx;
  }
}

@inline
function gainGradientAt<T>(dy: usize, x: usize, dGain: usize, r: f32): void {
  store<T>(dGain, add<T>(load<T>(dGain), mul<T>(load<T>(dy), mul<T>(load<T>(x), splat<T>(r)))));
}

/** dGain += dy x r, row by row. */
export function rmsNormGainGradient(
  rows: usize,
  width: usize,
  dy: usize,
  stepDy: usize,
  x: usize,
  stepX: usize,
  inverse: usize,
  stepInverse: usize,
  dGain: usize,
  stepDGain: usize,
): void {
  const bytes = width << 2;
  while (rows--) {
    const r = load<f32>(inverse);
    let i: usize = 0;
    for (; i + 16 <= bytes; i += 16) gainGradientAt<v128>(dy + i, x + i, dGain + i, r);
    for (; i < bytes; i += 4) gainGradientAt<f32>(dy + i, x + i, dGain + i, r);
    dy += stepDy;
    x += stepX;
    inverse += stepInverse;
    dGain += stepDGain;
  }
}

@inline
function rotateAt<T>(x: usize, y: usize, half: usize, turns: usize, sign: f32): void {
  const first = load<T>(x);
  const second = load<T>(x + half);
  const c = loadAlternate<T>(turns, false);
  const s = mul<T>(splat<T>(sign), loadAlternate<T>(turns, true));
  store<T>(y, sub<T>(mul<T>(first, c), mul<T>(second, s)));
  store<T>(y + half, add<T>(mul<T>(second, c), mul<T>(first, s)));
}

/**
 * Rotary position embedding of every head of a row. Each pair takes one element of each half of the head.
 *
 * @param width row length: all heads
 * @param positions one per row, int32
 * @param angles [positions, head / 2, 2]: cosine and sine of each pair
 * @param head head dimension
 * @param sign 1 forward, -1 for the gradient
 */
export function rotateHeads(
  rows: usize,
  width: usize,
  x: usize,
  stepX: usize,
  positions: usize,
  stepPositions: usize,
  angles: usize,
  stepAngles: usize,
  y: usize,
  stepY: usize,
  head: usize,
  sign: f32,
): void {
  const bytes = width << 2;
  const half = head << 1;
  while (rows--) {
    const turns = angles + <usize>load<u32>(positions) * (half + half);
    for (let at: usize = 0; at < bytes; at += half + half) {
      let i: usize = 0;
      for (; i + 16 <= half; i += 16) rotateAt<v128>(x + at + i, y + at + i, half, turns + i + i, sign);
      for (; i < half; i += 4) rotateAt<f32>(x + at + i, y + at + i, half, turns + i + i, sign);
    }
    x += stepX;
    positions += stepPositions;
    angles += stepAngles;
    y += stepY;
  }
}

/** 1 / (1 + e^-x) */
@inline
function sigmoid<T>(x: T): T {
  if (isVector<T>()) {
    // e^-|x| cannot overflow. For x < 0 the quotient is e / (1 + e).
    const e = expOfNegative(v128.or(x, f32x4.splat(-0.0)));
    const one = f32x4.splat(1);
    return f32x4.div(v128.bitselect(e, one, f32x4.lt(x, f32x4.splat(0))), f32x4.add(one, e));
  } else {
    const e = expOfOneNegative(-abs<f32>(x));
    return (x < 0 ? e : <f32>1) / (<f32>1 + e);
  }
}

@inline
function swigluAt<T>(gate: usize, up: usize, y: usize): void {
  const g = load<T>(gate);
  store<T>(y, mul<T>(mul<T>(g, sigmoid<T>(g)), load<T>(up)));
}

/** y = gate sigmoid(gate) up */
export function swiglu(
  rows: usize,
  width: usize,
  gate: usize,
  stepGate: usize,
  up: usize,
  stepUp: usize,
  y: usize,
  stepY: usize,
): void {
  const bytes = width << 2;
  while (rows--) {
    let i: usize = 0;
    for (; i + 16 <= bytes; i += 16) swigluAt<v128>(gate + i, up + i, y + i);
    for (; i < bytes; i += 4) swigluAt<f32>(gate + i, up + i, y + i);
    gate += stepGate;
    up += stepUp;
    y += stepY;
  }
}

@inline
function swigluGradientAt<T>(dy: usize, gate: usize, up: usize, dGate: usize, dUp: usize): void {
  const g = load<T>(gate);
  const d = load<T>(dy);
  const s = sigmoid<T>(g);
  const silu = mul<T>(g, s);
  const slope = add<T>(s, sub<T>(silu, mul<T>(silu, s)));
  store<T>(dGate, mul<T>(mul<T>(d, load<T>(up)), slope));
  store<T>(dUp, mul<T>(d, silu));
}

export function swigluGradient(
  rows: usize,
  width: usize,
  dy: usize,
  stepDy: usize,
  gate: usize,
  stepGate: usize,
  up: usize,
  stepUp: usize,
  dGate: usize,
  stepDGate: usize,
  dUp: usize,
  stepDUp: usize,
): void {
  const bytes = width << 2;
  while (rows--) {
    let i: usize = 0;
    for (; i + 16 <= bytes; i += 16) swigluGradientAt<v128>(dy + i, gate + i, up + i, dGate + i, dUp + i);
    for (; i < bytes; i += 4) swigluGradientAt<f32>(dy + i, gate + i, up + i, dGate + i, dUp + i);
    dy += stepDy;
    gate += stepGate;
    up += stepUp;
    dGate += stepDGate;
    dUp += stepDUp;
  }
}

@inline
function adamWAt<T>(
  p: usize,
  m: usize,
  v: usize,
  g: usize,
  pTo: usize,
  mTo: usize,
  vTo: usize,
  gradientScale: f32,
  beta1: f32,
  beta2: f32,
  rest1: f32,
  rest2: f32,
  correction1: f32,
  correction2: f32,
  epsilon: f32,
  weightDecay: f32,
  learningRate: f32,
): void {
  const gradient = mul<T>(load<T>(g), splat<T>(gradientScale));
  const first = add<T>(mul<T>(load<T>(m), splat<T>(beta1)), mul<T>(gradient, splat<T>(rest1)));
  const second = add<T>(
    mul<T>(load<T>(v), splat<T>(beta2)),
    mul<T>(mul<T>(gradient, gradient), splat<T>(rest2)),
  );
  const mean = div<T>(first, splat<T>(correction1));
  const deviation = add<T>(squareRoot<T>(div<T>(second, splat<T>(correction2))), splat<T>(epsilon));
  const direction = add<T>(div<T>(mean, deviation), mul<T>(load<T>(p), splat<T>(weightDecay)));
  store<T>(pTo, sub<T>(load<T>(p), mul<T>(direction, splat<T>(learningRate))));
  store<T>(mTo, first);
  store<T>(vTo, second);
}

/** One AdamW step over a vector, written to new vectors. `ops/adamw` gives the formula. */
export function adamW(
  size: usize,
  p: usize,
  m: usize,
  v: usize,
  g: usize,
  pTo: usize,
  mTo: usize,
  vTo: usize,
  gradientScale: f32,
  beta1: f32,
  beta2: f32,
  rest1: f32,
  rest2: f32,
  correction1: f32,
  correction2: f32,
  epsilon: f32,
  weightDecay: f32,
  learningRate: f32,
): void {
  const bytes = size << 2;
  let i: usize = 0;
  // prettier-ignore
  for (; i + 16 <= bytes; i += 16)
    adamWAt<v128>(p + i, m + i, v + i, g + i, pTo + i, mTo + i, vTo + i, gradientScale, beta1, beta2, rest1, rest2, correction1, correction2, epsilon, weightDecay, learningRate);
  // prettier-ignore
  for (; i < bytes; i += 4)
    adamWAt<f32>(p + i, m + i, v + i, g + i, pTo + i, mTo + i, vTo + i, gradientScale, beta1, beta2, rest1, rest2, correction1, correction2, epsilon, weightDecay, learningRate);
}
