/**
 * Seeded, counter-based random numbers: Philox4x32-10 (Salmon, Moraes, Dror and Shaw, "Parallel random numbers: as
 * easy as 1, 2, 3", SC 2011). A draw is a pure function of (seed, stream, position). It does not depend on the order of
 * draws or on the device, and a resumed run repeats it. The GPU kernels compute the same function
 * (`src/ops/lib/philox.wgsl.ts`). The tests compare both with Random123's published vectors.
 */

const MULTIPLIER_0 = 0xd2511f53;
const MULTIPLIER_1 = 0xcd9e8d57;
const WEYL_0 = 0x9e3779b9;
const WEYL_1 = 0xbb67ae85;

/** High 32 bits of the 64-bit product of two unsigned 32-bit integers. */
function multiplyHigh(a: number, b: number): number {
  const aLow = a & 0xffff;
  const aHigh = a >>> 16;
  const bLow = b & 0xffff;
  const bHigh = b >>> 16;
  const middle = aHigh * bLow + ((aLow * bLow) >>> 16);
  const carry = aLow * bHigh + (middle & 0xffff);
  return (aHigh * bHigh + Math.floor(middle / 65536) + Math.floor(carry / 65536)) >>> 0;
}

/**
 * Ten rounds of Philox4x32 on one counter block.
 *
 * @param out receives four unsigned 32-bit integers
 */
export function philox4x32(
  counter0: number,
  counter1: number,
  counter2: number,
  counter3: number,
  key0: number,
  key1: number,
  out: Uint32Array,
): void {
  let c0 = counter0 >>> 0;
  let c1 = counter1 >>> 0;
  let c2 = counter2 >>> 0;
  let c3 = counter3 >>> 0;
  let k0 = key0 >>> 0;
  let k1 = key1 >>> 0;
  for (let round = 0; round < 10; round++) {
    const high0 = multiplyHigh(MULTIPLIER_0, c0);
    const low0 = Math.imul(MULTIPLIER_0, c0) >>> 0;
    const high1 = multiplyHigh(MULTIPLIER_1, c2);
    const low1 = Math.imul(MULTIPLIER_1, c2) >>> 0;
    c0 = (high1 ^ c1 ^ k0) >>> 0;
    c1 = low1;
    c2 = (high0 ^ c3 ^ k1) >>> 0;
    c3 = low0;
    k0 = (k0 + WEYL_0) >>> 0;
    k1 = (k1 + WEYL_1) >>> 0;
  }
  out[0] = c0;
  out[1] = c1;
  out[2] = c2;
  out[3] = c3;
}

/** A stream of random draws. */
export interface Random {
  /** Next unsigned 32-bit integer. */
  uint32(): number;
  /** Next number in [0, 1), a multiple of 2^-32. */
  uniform(): number;
  /** Next integer in [0, bound). */
  integer(bound: number): number;
  /** One element of a non-empty array. */
  choice<T>(values: readonly T[]): T;
  /** A new array in random order (Fisher-Yates). */
  shuffle<T>(values: readonly T[]): T[];
  /** `count` distinct elements, in random order. */
  sample<T>(values: readonly T[], count: number): T[];
  /** Next standard normal number: the first of a Box-Muller pair. */
  normal(): number;
}

/**
 * Creates an independent stream for each seed and stream numbers. Equal arguments give equal draws.
 *
 * @param seed an unsigned 32-bit integer
 * @param stream up to two unsigned 32-bit integers that separate uses of one seed (purpose, step)
 */
export function createRandom(seed: number, ...stream: [number?, number?]): Random {
  const block = new Uint32Array(4);
  let position = 0;
  const uint32 = (): number => {
    if (position % 4 === 0) {
      philox4x32(position / 4, 0, stream[1] ?? 0, 0, seed, stream[0] ?? 0, block);
    }
    return block[position++ % 4];
  };
  const uniform = (): number => uint32() / 4294967296;
  const integer = (bound: number): number => Math.floor(uniform() * bound);
  const shuffle = <T>(values: readonly T[]): T[] => {
    const shuffled = [...values];
    for (let last = shuffled.length - 1; last > 0; last--) {
      const other = integer(last + 1);
      [shuffled[last], shuffled[other]] = [shuffled[other], shuffled[last]];
    }
    return shuffled;
  };
  return {
    uint32,
    uniform,
    integer,
    choice: (values) => values[integer(values.length)],
    shuffle,
    sample: (values, count) => shuffle(values).slice(0, count),
    normal: () => Math.sqrt(-2 * Math.log(1 - uniform())) * Math.cos(2 * Math.PI * uniform()),
  };
}
