/**
 * Output head: log-probability and entropy of given tokens, the gradient with respect to the logits, and sampling of
 * the next token. Exponentials are summed in float64 and always in the same order. The sampler's log-probabilities
 * therefore equal the trainer's.
 */
import { expOfNegative, expOfOneNegative, maxLanes } from './lanes';

@inline
function largestOf(z: usize, bytes: usize): f32 {
  let largest = f32x4.splat(-Infinity);
  let i: usize = 0;
  for (; i + 16 <= bytes; i += 16) largest = f32x4.max(largest, v128.load(z + i));
  let most = maxLanes(largest);
  for (; i < bytes; i += 4) most = max<f32>(most, load<f32>(z + i));
  return most;
}

/** Adds both halves of a float32 vector to two float64 sums. */
@inline
function addDoubles(sums: v128, v: v128): v128 {
  const high = f64x2.promote_low_f32x4(v128.shuffle<f32>(v, v, 2, 3, 2, 3));
  return f64x2.add(f64x2.add(sums, f64x2.promote_low_f32x4(v)), high);
}

@inline
function sumDoubles(sums: v128): f64 {
  return f64x2.extract_lane(sums, 0) + f64x2.extract_lane(sums, 1);
}

/** Sum over the row of e^(scale (z - most)). */
@inline
function sumOfExponentials(z: usize, bytes: usize, most: f32, scale: f32): f64 {
  let sums = f64x2.splat(0);
  let i: usize = 0;
  for (; i + 16 <= bytes; i += 16) {
    const shifted = f32x4.sub(v128.load(z + i), f32x4.splat(most));
    sums = addDoubles(sums, expOfNegative(f32x4.mul(shifted, f32x4.splat(scale))));
  }
  let total = sumDoubles(sums);
  for (; i < bytes; i += 4) total += <f64>expOfOneNegative((load<f32>(z + i) - most) * scale);
  return total;
}

const SQRT_HALF: f64 = 0.7071067811865476;
const LN2: f64 = 0.6931471805599453;

/** Natural logarithm of a positive normal number, by the series of 2 artanh((m - 1) / (m + 1)) + e ln 2. */
@inline
function logarithm(x: f64): f64 {
  const bits = reinterpret<u64>(x);
  let exponent = <i32>((bits >> 52) & 0x7ff) - 1022;
  let m = reinterpret<f64>((bits & 0x000fffffffffffff) | 0x3fe0000000000000); // [1/2, 1)
  if (m < SQRT_HALF) {
    m *= 2;
    exponent -= 1;
  }
  const s = (m - 1) / (m + 1);
  const q = s * s;
  let series: f64 = 1.0 / 23;
  series = series * q + 1.0 / 21;
  series = series * q + 1.0 / 19;
  series = series * q + 1.0 / 17;
  series = series * q + 1.0 / 15;
  series = series * q + 1.0 / 13;
  series = series * q + 1.0 / 11;
  series = series * q + 1.0 / 9;
  series = series * q + 1.0 / 7;
  series = series * q + 1.0 / 5;
  series = series * q + 1.0 / 3;
  series = series * q + 1;
  return 2 * s * series + <f64>exponent * LN2;
}

/**
 * Log-probability of the token, entropy, and the statistics for the gradient, for every row z of logits.
 *
 *   logsumexp = most + log(sum e^(z - most))
 *   entropy   = logsumexp - sum p z
 *
 * @param tokens [rows] int32
 * @param logprob, entropy, logsum [rows]
 */
export function headStatistics(
  rows: usize,
  width: usize,
  z: usize,
  stepZ: usize,
  tokens: usize,
  stepTokens: usize,
  logprob: usize,
  stepLogprob: usize,
  entropy: usize,
  stepEntropy: usize,
  logsum: usize,
  stepLogsum: usize,
): void {
  const bytes = width << 2;
  while (rows--) {
    const most = largestOf(z, bytes);
    let sums = f64x2.splat(0);
    let along = f64x2.splat(0);
    let i: usize = 0;
    for (; i + 16 <= bytes; i += 16) {
      const shifted = f32x4.sub(v128.load(z + i), f32x4.splat(most));
      const e = expOfNegative(shifted);
      sums = addDoubles(sums, e);
      along = addDoubles(along, f32x4.mul(e, shifted));
    }
    let total = sumDoubles(sums);
    let weighted = sumDoubles(along);
    for (; i < bytes; i += 4) {
      const shifted = load<f32>(z + i) - most;
      const e = expOfOneNegative(shifted);
      total += <f64>e;
      weighted += <f64>(e * shifted);
    }
    const log = logarithm(total);
    const chosen = load<f32>(z + 4 * load<u32>(tokens));
    store<f32>(logprob, <f32>(<f64>(chosen - most) - log));
    store<f32>(entropy, <f32>(log - weighted / total));
    store<f32>(logsum, <f32>(<f64>most + log));
    z += stepZ;
    tokens += stepTokens;
    logprob += stepLogprob;
    entropy += stepEntropy;
    logsum += stepLogsum;
  }
}

/**
 * Overwrites the logits with their gradient:
 *
 *   dz = scale (dLogprob (onehot - p) - dEntropy p (log p + entropy))
 *
 * @param scale factor that was applied to the product
 */
export function headGradient(
  rows: usize,
  width: usize,
  z: usize,
  stepZ: usize,
  tokens: usize,
  stepTokens: usize,
  entropy: usize,
  stepEntropy: usize,
  logsum: usize,
  stepLogsum: usize,
  dLogprob: usize,
  stepDLogprob: usize,
  dEntropy: usize,
  stepDEntropy: usize,
  scale: f32,
): void {
  const bytes = width << 2;
  while (rows--) {
    const log = load<f32>(logsum);
    const h = load<f32>(entropy);
    const byChosen = load<f32>(dLogprob) * scale;
    const byEntropy = load<f32>(dEntropy) * scale;
    let i: usize = 0;
    for (; i + 16 <= bytes; i += 16) {
      const logP = f32x4.min(f32x4.sub(v128.load(z + i), f32x4.splat(log)), f32x4.splat(0));
      const p = expOfNegative(logP);
      const slope = f32x4.add(
        f32x4.splat(byChosen),
        f32x4.mul(f32x4.splat(byEntropy), f32x4.add(logP, f32x4.splat(h))),
      );
      v128.store(z + i, f32x4.neg(f32x4.mul(p, slope)));
    }
    for (; i < bytes; i += 4) {
      const logP = min<f32>(load<f32>(z + i) - log, 0);
      store<f32>(z + i, -(expOfOneNegative(logP) * (byChosen + byEntropy * (logP + h))));
    }
    const chosen = z + 4 * load<u32>(tokens);
    store<f32>(chosen, load<f32>(chosen) + byChosen);
    z += stepZ;
    tokens += stepTokens;
    entropy += stepEntropy;
    logsum += stepLogsum;
    dLogprob += stepDLogprob;
    dEntropy += stepDEntropy;
  }
}

/** Random words for sixteen tokens, from four Philox blocks: token 4 b + l uses lane l of vector b. */
let words0 = i32x4.splat(0);
let words1 = i32x4.splat(0);
let words2 = i32x4.splat(0);
let words3 = i32x4.splat(0);

/** Philox4x32-10 for four consecutive counters, as in src/base/random.ts. */
@inline
function philox(first: u32, position: u32, row: u32, stream: u32, seed: u32, key: u32): void {
  const multiplier0 = i32x4.splat(0xd2511f53);
  const multiplier1 = i32x4.splat(0xcd9e8d57);
  let c0 = i32x4.add(i32x4.splat(first), i32x4(0, 1, 2, 3));
  let c1 = i32x4.splat(position);
  let c2 = i32x4.splat(row);
  let c3 = i32x4.splat(stream);
  let k0 = i32x4.splat(seed);
  let k1 = i32x4.splat(key);
  for (let round = 0; round < 10; round++) {
    const low0 = i64x2.extmul_low_i32x4_u(multiplier0, c0);
    const high0 = i64x2.extmul_high_i32x4_u(multiplier0, c0);
    const low1 = i64x2.extmul_low_i32x4_u(multiplier1, c2);
    const high1 = i64x2.extmul_high_i32x4_u(multiplier1, c2);
    c0 = v128.xor(v128.xor(v128.shuffle<i32>(low1, high1, 1, 3, 5, 7), c1), k0);
    c1 = v128.shuffle<i32>(low1, high1, 0, 2, 4, 6);
    c2 = v128.xor(v128.xor(v128.shuffle<i32>(low0, high0, 1, 3, 5, 7), c3), k1);
    c3 = v128.shuffle<i32>(low0, high0, 0, 2, 4, 6);
    k0 = i32x4.add(k0, i32x4.splat(0x9e3779b9));
    k1 = i32x4.add(k1, i32x4.splat(0xbb67ae85));
  }
  const low01 = v128.shuffle<i32>(c0, c1, 0, 4, 1, 5);
  const high01 = v128.shuffle<i32>(c0, c1, 2, 6, 3, 7);
  const low23 = v128.shuffle<i32>(c2, c3, 0, 4, 1, 5);
  const high23 = v128.shuffle<i32>(c2, c3, 2, 6, 3, 7);
  words0 = v128.shuffle<i32>(low01, low23, 0, 1, 4, 5);
  words1 = v128.shuffle<i32>(low01, low23, 2, 3, 6, 7);
  words2 = v128.shuffle<i32>(high01, high23, 0, 1, 4, 5);
  words3 = v128.shuffle<i32>(high01, high23, 2, 3, 6, 7);
}

/** -log(-log u) with u = ((word >>> 8) + 1/2) / 2^24 */
@inline
function gumbel(word: u32): f64 {
  return -logarithm(-logarithm((<f64>(word >> 8) + 0.5) / 16777216));
}

/** 1 - u is at least 2^-25, so a token with a smaller e^(z - best) cannot win. */
const SMALLEST_CHANCE: f32 = 2.9e-8;
/** Exceeds the rounding error of e^(z - best) in float32. */
const MARGIN: f32 = 1.001;

let best: f64 = 0;
let winner: u32 = 0;

/** Upper bound of e^(z - best) for four logits. */
@inline
function chances(z: v128, scale: f32): v128 {
  const distance = f32x4.sub(f32x4.mul(z, f32x4.splat(scale)), f32x4.splat(<f32>best));
  return f32x4.mul(expOfNegative(f32x4.min(distance, f32x4.splat(0))), f32x4.splat(MARGIN));
}

/** Computes the exact score of one token. */
@inline
function tryToken(z: usize, token: usize, word: u32, scale: f32): void {
  const score = <f64>load<f32>(z + 4 * token) * <f64>scale + gumbel(word);
  if (score > best) {
    best = score;
    winner = <u32>token;
  }
}

/**
 * Scores four tokens. A token wins only if -log u < e^(z - best), and -log u is at least 1 - u. This bound decides
 * almost all tokens without a logarithm.
 */
@inline
function tryFour(z: usize, token: usize, chance: v128, words: v128, scale: f32): void {
  const left = f32x4.convert_i32x4_u(i32x4.sub(i32x4.splat(0xffffff), i32x4.shr_u(words, 8)));
  const rest = f32x4.mul(f32x4.add(left, f32x4.splat(0.5)), f32x4.splat(<f32>5.9604644775390625e-8));
  const isOpen = f32x4.lt(rest, chance);
  if (!v128.any_true(isOpen)) return;
  if (i32x4.extract_lane(isOpen, 0)) tryToken(z, token, i32x4.extract_lane(words, 0), scale);
  if (i32x4.extract_lane(isOpen, 1)) tryToken(z, token + 1, i32x4.extract_lane(words, 1), scale);
  if (i32x4.extract_lane(isOpen, 2)) tryToken(z, token + 2, i32x4.extract_lane(words, 2), scale);
  if (i32x4.extract_lane(isOpen, 3)) tryToken(z, token + 3, i32x4.extract_lane(words, 3), scale);
}

/** Scores the last tokens, fewer than sixteen. Their random words are already computed. */
@inline
function tryRest(z: usize, first: usize, width: usize, scale: f32): void {
  for (; first < width; first++) {
    const block = (first >> 2) & 3;
    const words = block == 0 ? words0 : block == 1 ? words1 : block == 2 ? words2 : words3;
    const lane = first & 3;
    const pair = lane < 2 ? words : v128.shuffle<i32>(words, words, 2, 3, 2, 3);
    const word = lane & 1 ? i32x4.extract_lane(pair, 1) : i32x4.extract_lane(pair, 0);
    tryToken(z, first, word, scale);
  }
}

/**
 * Samples one token per row by the Gumbel-max trick (defined in `ops/sample-head`), with its log-probability.
 *
 * @param ids [rows] int32: the row's number, a word of the counter
 * @param token [rows] int32, @param logprob [rows]
 * @param scale 1 / temperature
 * @param greedy 1 selects the largest logit
 */
export function drawTokens(
  rows: usize,
  width: usize,
  z: usize,
  stepZ: usize,
  ids: usize,
  stepIds: usize,
  token: usize,
  stepToken: usize,
  logprob: usize,
  stepLogprob: usize,
  scale: f32,
  greedy: u32,
  position: u32,
  stream: u32,
  seed: u32,
  key: u32,
): void {
  const bytes = width << 2;
  while (rows--) {
    const most = largestOf(z, bytes);
    best = -Infinity;
    winner = 0;
    if (greedy) {
      while (load<f32>(z + 4 * <usize>winner) != most && <usize>winner + 1 < width) winner++;
    } else {
      const row = load<u32>(ids);
      let first: usize = 0;
      for (; first + 16 <= width; first += 16) {
        const at = z + 4 * first;
        const e0 = chances(v128.load(at), scale);
        const e1 = chances(v128.load(at, 16), scale);
        const e2 = chances(v128.load(at, 32), scale);
        const e3 = chances(v128.load(at, 48), scale);
        const largest = f32x4.max(f32x4.max(e0, e1), f32x4.max(e2, e3));
        if (!v128.any_true(f32x4.gt(largest, f32x4.splat(SMALLEST_CHANCE)))) continue;
        philox(<u32>(first >> 2), position, row, stream, seed, key);
        tryFour(z, first, e0, words0, scale);
        tryFour(z, first + 4, e1, words1, scale);
        tryFour(z, first + 8, e2, words2, scale);
        tryFour(z, first + 12, e3, words3, scale);
      }
      if (first < width) {
        philox(<u32>(first >> 2), position, row, stream, seed, key);
        tryRest(z, first, width, scale);
      }
    }
    const chosen = load<f32>(z + 4 * <usize>winner);
    const log = logarithm(sumOfExponentials(z, bytes, most, scale));
    store<u32>(token, winner);
    store<f32>(logprob, <f32>(<f64>((chosen - most) * scale) - log));
    z += stepZ;
    ids += stepIds;
    token += stepToken;
    logprob += stepLogprob;
  }
}
