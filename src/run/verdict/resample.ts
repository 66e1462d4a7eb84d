/**
 * Paired bootstrap over the items of an evaluation. Each draw resamples items with replacement, keeps the outcomes before
 * and now together, and recomputes every figure (Efron 1979; percentile interval).
 *
 * Ten thousand draws of 2,000 items require twenty million indices. Philox would take seconds, so it only seeds a small
 * generator (sfc32, by Chris Doty-Humphrey). Each item is one of 48 kinds, which reduces a draw to one histogram. The sums
 * of all draws are rows of one array, because collecting ten thousand objects as garbage would take longer than the draws.
 */
import { createRandom } from '../../base/random';

/** Outcomes of one item before and now. */
export interface Pair {
  correct: readonly [before: boolean, now: boolean];
  faithful: readonly [before: boolean, now: boolean];
  thinkTokens: readonly [before: number, now: number];
  /** Null without a shortcut. */
  easy: boolean | null;
  /** True for an additional hard item outside the fixed set. */
  isApart?: boolean;
}

/**
 * Sums over pairs. Two sets have five numbers each: those of the fixed set at `FIXED`, those of all hard pairs at `HARD`.
 * Two numbers follow at `TOKENS`: the thinking of all pairs, before and now.
 */
export type Sums = Int32Array | Float64Array;

export const FIXED = 0;
export const HARD = 5;
export const TOKENS = 10;
const ROW = 12;

/** Places among the numbers of a set: the count, then two figures, each before and now. */
export const COUNT = 0;
export const CORRECT = 1;
export const FAITHFUL = 3;

const KINDS = 48;
const STREAM = 0x626f6f;
/** Sets of a pair that is not hard, of a hard one in the fixed set, and of one outside it. */
const SETS = [[FIXED], [FIXED, HARD], [HARD]];

export function sumsOf(pairs: readonly Pair[]): Sums {
  const kinds = new Int32Array(KINDS);
  const row = new Float64Array(ROW);
  for (const pair of pairs) {
    kinds[kindOf(pair)] += 1;
    for (const side of [0, 1]) row[TOKENS + side] += pair.thinkTokens[side];
  }
  addKinds(kinds, row);
  return row;
}

/**
 * @param seed - unsigned 32-bit integer; determines the draws for a given number of pairs
 * @returns the sums of a draw
 */
export function resample(pairs: readonly Pair[], draws: number, seed: number): (draw: number) => Sums {
  const count = pairs.length;
  const kind = Uint8Array.from(pairs, kindOf);
  const before = Int32Array.from(pairs, ({ thinkTokens }) => thinkTokens[0]);
  const now = Int32Array.from(pairs, ({ thinkTokens }) => thinkTokens[1]);
  const random = createRandom(seed, STREAM);
  let a = random.uint32() | 0;
  let b = random.uint32() | 0;
  let c = random.uint32() | 0;
  let counter = 1;
  const scale = count / 4294967296;
  const kinds = new Int32Array(KINDS);
  const rows = new Int32Array(ROW * draws);
  const rowOf = (draw: number): Int32Array => rows.subarray(ROW * draw, ROW * (draw + 1));
  for (let draw = 0; draw < draws; draw++) {
    kinds.fill(0);
    let tokensBefore = 0;
    let tokensNow = 0;
    for (let drawn = 0; drawn < count; drawn++) {
      const word = (a + b + counter) | 0;
      counter = (counter + 1) | 0;
      a = b ^ (b >>> 9);
      b = (c + (c << 3)) | 0;
      c = (((c << 21) | (c >>> 11)) + word) | 0;
      const index = ((word >>> 0) * scale) | 0;
      kinds[kind[index]] += 1;
      tokensBefore = (tokensBefore + before[index]) | 0;
      tokensNow = (tokensNow + now[index]) | 0;
    }
    const row = rowOf(draw);
    addKinds(kinds, row);
    row[TOKENS] = tokensBefore;
    row[TOKENS + 1] = tokensNow;
  }
  return rowOf;
}

/** Encodes correct before and now, faithful before and now, and the sets of the pair. */
function kindOf({ correct, faithful, easy, isApart = false }: Pair): number {
  const sets = isApart ? 2 : Number(easy === false);
  return (
    Number(correct[0]) +
    2 * Number(correct[1]) +
    4 * Number(faithful[0]) +
    8 * Number(faithful[1]) +
    16 * sets
  );
}

/** Adds a histogram of kinds to a row. */
function addKinds(kinds: Int32Array, row: Sums): void {
  for (let kind = 0; kind < KINDS; kind++) {
    const items = kinds[kind];
    if (items === 0) continue;
    for (const set of SETS[kind >> 4]) {
      row[set + COUNT] += items;
      for (let bit = 0; bit < 4; bit++) if ((kind >> bit) & 1) row[set + CORRECT + bit] += items;
    }
  }
}
