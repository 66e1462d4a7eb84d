/**
 * The output head: log-probability and entropy of given tokens, their gradient by the logits, and the draw of the next
 * token. Exponentials are summed in float64, in the same order everywhere, so that the sampler's log-probabilities are
 * those of the trainer.
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

/** Both halves of a vector added to two float64. */
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

/** Natural logarithm of a positive normal number: 2 artanh((m - 1) / (m + 1)) + e ln 2, by its series. */
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
 * Of every row z of logits: log p of its token, the entropy, and what the gradient asks for.
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
 * The logits' gradient in their place:
 *
 *   dz = scale (dLogprob (onehot - p) - dEntropy p (log p + entropy))
 *
 * @param scale by which the product's result was scaled
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

let philox0: u32 = 0;
let philox1: u32 = 0;
let philox2: u32 = 0;
let philox3: u32 = 0;

/** Philox4x32-10, as in src/base/random.ts; the block is left in the four globals. */
function philox(c0: u32, c1: u32, c2: u32, c3: u32, k0: u32, k1: u32): void {
  for (let round = 0; round < 10; round++) {
    const p0 = <u64>0xd2511f53 * <u64>c0;
    const p1 = <u64>0xcd9e8d57 * <u64>c2;
    c0 = <u32>(p1 >> 32) ^ c1 ^ k0;
    c1 = <u32>p1;
    c2 = <u32>(p0 >> 32) ^ c3 ^ k1;
    c3 = <u32>p0;
    k0 += 0x9e3779b9;
    k1 += 0xbb67ae85;
  }
  philox0 = c0;
  philox1 = c1;
  philox2 = c2;
  philox3 = c3;
}

/** No Gumbel draw is larger: -log(-log(1 - 2^-25)). */
const LARGEST_DRAW: f64 = 17.33;

/** -log(-log u) with u = ((word >>> 8) + 1/2) / 2^24 */
@inline
function gumbel(word: u32): f64 {
  return -logarithm(-logarithm((<f64>(word >> 8) + 0.5) / 16777216));
}

/**
 * One token of every row by the Gumbel-max trick (`ops/sample-head` has the definition), and its log-probability. Of four
 * tokens whose logits are too small for any draw to win, none is drawn.
 *
 * @param ids [rows] int32: the row's number, a word of the counter
 * @param token [rows] int32, @param logprob [rows]
 * @param scale 1 / temperature
 * @param greedy 1 for the largest logit
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
    let best: f64 = -Infinity;
    let winner: u32 = 0;
    if (greedy) {
      while (load<f32>(z + 4 * <usize>winner) != most && <usize>winner + 1 < width) winner++;
    } else {
      const row = load<u32>(ids);
      for (let first: usize = 0; first < width; first += 4) {
        const at = z + 4 * first;
        const count = min<usize>(4, width - first);
        let largest = load<f32>(at);
        for (let lane: usize = 1; lane < count; lane++) largest = max<f32>(largest, load<f32>(at + 4 * lane));
        if (<f64>largest * <f64>scale + LARGEST_DRAW <= best) continue;
        philox(<u32>(first >> 2), position, row, stream, seed, key);
        for (let lane: usize = 0; lane < count; lane++) {
          const word = lane == 0 ? philox0 : lane == 1 ? philox1 : lane == 2 ? philox2 : philox3;
          const logit = <f64>load<f32>(at + 4 * lane) * <f64>scale;
          if (logit + LARGEST_DRAW <= best) continue;
          const score = logit + gumbel(word);
          if (score > best) {
            best = score;
            winner = <u32>(first + lane);
          }
        }
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
