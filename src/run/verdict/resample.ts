/**
 * Paired bootstrap over the items of an evaluation. Each draw resamples items with replacement, keeps the outcomes before
 * and now together, and recomputes every figure (Efron 1979; percentile interval).
 *
 * Ten thousand draws of 2,000 items require twenty million indices. Philox would take seconds, so it only seeds a small
 * generator (sfc32, by Chris Doty-Humphrey). Each item is one of 64 kinds, which reduces a draw to one histogram.
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

/** Sums over pairs, each `[before, now]`. */
export interface Sums {
  count: number;
  correct: readonly [number, number];
  faithful: readonly [number, number];
}

/**
 * Sums over the fixed set (top level), over its easy pairs, and over all hard pairs. `asked` and `thinkTokens` cover all
 * pairs.
 */
export interface PairSums extends Sums {
  asked: number;
  thinkTokens: readonly [number, number];
  easy: Sums;
  hard: Sums;
}

const KINDS = 64;
const STREAM = 0x626f6f;

export function sumsOf(pairs: readonly Pair[]): PairSums {
  const kinds = new Int32Array(KINDS);
  for (const pair of pairs) kinds[kindOf(pair)] += 1;
  const total = (side: 0 | 1): number => pairs.reduce((sum, { thinkTokens }) => sum + thinkTokens[side], 0);
  return sumsOfKinds(kinds, total(0), total(1));
}

/**
 * Calls `each` with the sums of every draw.
 *
 * @param seed - unsigned 32-bit integer; determines the draws for a given number of pairs
 */
export function resample(
  pairs: readonly Pair[],
  draws: number,
  seed: number,
  each: (sums: PairSums, draw: number) => void,
): void {
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
    each(sumsOfKinds(kinds, tokensBefore, tokensNow), draw);
  }
}

/** Encodes correct before and now, faithful before and now, and the shortcut's state: 2 x 2 x 2 x 2 x 4 kinds. */
function kindOf({ correct, faithful, easy, isApart = false }: Pair): number {
  const shortcut = isApart ? 3 : easy === null ? 2 : easy ? 0 : 1;
  return (
    Number(correct[0]) +
    2 * Number(correct[1]) +
    4 * Number(faithful[0]) +
    8 * Number(faithful[1]) +
    16 * shortcut
  );
}

function plus(one: Sums, other: Sums): Sums {
  const both = (what: 'correct' | 'faithful'): [number, number] => [
    one[what][0] + other[what][0],
    one[what][1] + other[what][1],
  ];
  return { count: one.count + other.count, correct: both('correct'), faithful: both('faithful') };
}

function sumsOfKinds(kinds: Int32Array, tokensBefore: number, tokensNow: number): PairSums {
  const of = (first: number, end: number): Sums => {
    const correct: [number, number] = [0, 0];
    const faithful: [number, number] = [0, 0];
    let count = 0;
    for (let kind = first; kind < end; kind++) {
      const items = kinds[kind];
      if (items === 0) continue;
      count += items;
      if ((kind & 1) !== 0) correct[0] += items;
      if ((kind & 2) !== 0) correct[1] += items;
      if ((kind & 4) !== 0) faithful[0] += items;
      if ((kind & 8) !== 0) faithful[1] += items;
    }
    return { count, correct, faithful };
  };
  const apart = of(48, 64);
  const fixed = of(0, 48);
  return {
    ...fixed,
    asked: fixed.count + apart.count,
    thinkTokens: [tokensBefore, tokensNow],
    easy: of(0, 16),
    hard: plus(of(16, 32), apart),
  };
}
