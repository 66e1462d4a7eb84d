/** Attention weights: masked row softmax, its gradient, and appends to the decoder's KV cache. */
import { expOfNegative, expOfOneNegative, maxLanes, mul, splat, sub, sumLanes } from './lanes';

@inline
function fill(from: usize, to: usize, value: f32): void {
  for (; from < to; from += 4) store<f32>(from, value);
}

/**
 * Softmax of scale * x over the columns below `first` and from `second` to `end` (byte offsets). Other columns become
 * 0.
 */
@inline
function softmaxLine(at: usize, width: usize, first: usize, second: usize, end: usize, scale: f32): void {
  const whole = width & ~15;
  const four = min<usize>((end + 15) & ~15, whole);
  const counted = end <= whole ? four : width;
  // Masked columns that share a vector with unmasked ones become e^-1e9 = 0.
  fill(at + first, at + second, -1e9);
  fill(at + end, at + counted, -1e9);
  fill(at + counted, at + width, 0);
  let largest = f32x4.splat(-Infinity);
  let i: usize = 0;
  for (; i < four; i += 16) {
    const v = f32x4.mul(v128.load(at + i), f32x4.splat(scale));
    v128.store(at + i, v);
    largest = f32x4.max(largest, v);
  }
  let most = maxLanes(largest);
  for (; i < counted; i += 4) {
    const v = load<f32>(at + i) * scale;
    store<f32>(at + i, v);
    most = max<f32>(most, v);
  }
  let sums = f32x4.splat(0);
  i = 0;
  for (; i < four; i += 16) {
    const e = expOfNegative(f32x4.sub(v128.load(at + i), f32x4.splat(most)));
    v128.store(at + i, e);
    sums = f32x4.add(sums, e);
  }
  let total =
    f32x4.extract_lane(sums, 0) +
    f32x4.extract_lane(sums, 2) +
    (f32x4.extract_lane(sums, 1) + f32x4.extract_lane(sums, 3));
  for (; i < counted; i += 4) {
    const e = expOfOneNegative(load<f32>(at + i) - most);
    store<f32>(at + i, e);
    total += e;
  }
  const inverse: f32 = <f32>1 / total;
  i = 0;
  for (; i < four; i += 16) v128.store(at + i, f32x4.mul(v128.load(at + i), f32x4.splat(inverse)));
  for (; i < counted; i += 4) store<f32>(at + i, load<f32>(at + i) * inverse);
}

/**
 * In-place softmax over lines of `width` bytes. Each row has `heads` lines.
 *
 * @param growth bytes by which `end` grows from row to row
 */
export function softmax(
  at: usize,
  rows: usize,
  heads: usize,
  width: usize,
  first: usize,
  second: usize,
  end: usize,
  growth: usize,
  scale: f32,
): void {
  while (rows--) {
    let head = heads;
    while (head--) {
      softmaxLine(at, width, first, second, end, scale);
      at += width;
    }
    end += growth;
  }
}

@inline
function softmaxGradientAt<T>(weights: usize, d: usize, scale: f32, along: f32): void {
  store<T>(d, mul<T>(splat<T>(scale), mul<T>(load<T>(weights), sub<T>(load<T>(d), splat<T>(along)))));
}

/** d = scale w (d - sum(d w)), in place. */
export function softmaxGradient(
  rows: usize,
  width: usize,
  weights: usize,
  stepWeights: usize,
  d: usize,
  stepD: usize,
  scale: f32,
): void {
  const bytes = width << 2;
  while (rows--) {
    let sums = f32x4.splat(0);
    let i: usize = 0;
    for (; i + 16 <= bytes; i += 16)
      sums = f32x4.add(sums, f32x4.mul(v128.load(d + i), v128.load(weights + i)));
    let along = sumLanes(sums);
    for (; i < bytes; i += 4) along += load<f32>(d + i) * load<f32>(weights + i);
    i = 0;
    for (; i + 16 <= bytes; i += 16) softmaxGradientAt<v128>(weights + i, d + i, scale, along);
    for (; i < bytes; i += 4) softmaxGradientAt<f32>(weights + i, d + i, scale, along);
    weights += stepWeights;
    d += stepD;
  }
}

/**
 * Writes the newest key and value of every line (one head of one row) to the cache.
 *
 * @param width head dimension
 * @param keys [lines, width, capacity]: transposed, because products read adjacent columns
 * @param values [lines, capacity, width]
 */
export function appendKeysAndValues(
  lines: usize,
  width: usize,
  k: usize,
  stepK: usize,
  v: usize,
  stepV: usize,
  keys: usize,
  stepKeys: usize,
  values: usize,
  stepValues: usize,
  capacity: usize,
  filled: usize,
): void {
  while (lines--) {
    let key = keys + 4 * filled;
    let value = values + 4 * filled * width;
    for (let i: usize = 0; i < 4 * width; i += 4) {
      store<f32>(key, load<f32>(k + i));
      store<f32>(value + i, load<f32>(v + i));
      key += 4 * capacity;
    }
    k += stepK;
    v += stepV;
    keys += stepKeys;
    values += stepValues;
  }
}
