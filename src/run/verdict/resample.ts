/**
 * Paired bootstrap over the items of an evaluation. Each draw resamples items with replacement, keeps the outcomes before
 * and now together, and recomputes every figure (Efron 1979; percentile interval).
 *
 * Ten thousand draws of 2,000 items require twenty million indices. Philox would take seconds, so it only seeds a small
 * generator (sfc32, by Chris Doty-Humphrey). Each item is one of 64 kinds, which reduces a draw to one histogram. The sums
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

/** Sums over pairs, each `[before, now]`. */
export interface Sums {
  count: number;
  correct: [number, number];
  faithful: [number, number];
}

/**
 * Sums over the fixed set (top level) and over all hard pairs. `asked` and `thinkTokens` cover all pairs.
 */
export interface PairSums extends Sums {
  asked: number;
  thinkTokens: [number, number];
  hard: Sums;
}

const KINDS = 64;
const STREAM = 0x626f6f;

/** Numbers of a row: `PARTS` for each state of the shortcut (easy, hard, unknown, apart), then the tokens. */
const ROW = 22;
/** Count, correct before and now, faithful before and now. */
const PARTS = 5;
const [EASY, HARD, UNKNOWN, APART] = [0, 1, 2, 3].map((state) => state * PARTS);
const TOKENS = 4 * PARTS;
/** Places of two figures among the parts. */
const FIGURES = [
  ['correct', 1],
  ['faithful', 3],
] as const;

export function sumsOf(pairs: readonly Pair[]): PairSums {
  const kinds = new Int32Array(KINDS);
  for (const pair of pairs) kinds[kindOf(pair)] += 1;
  const row = new Float64Array(ROW);
  addKinds(kinds, row, 0);
  for (const { thinkTokens } of pairs) for (const side of [0, 1]) row[TOKENS + side] += thinkTokens[side];
  return readSums(row, 0, emptySums());
}

/** Draws of a bootstrap. */
export interface Draws {
  /** Sums of a draw. The next call overwrites them. */
  sums(draw: number): PairSums;
}

/** @param seed - unsigned 32-bit integer; determines the draws for a given number of pairs */
export function resample(pairs: readonly Pair[], draws: number, seed: number): Draws {
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
    addKinds(kinds, rows, ROW * draw);
    rows[ROW * draw + TOKENS] = tokensBefore;
    rows[ROW * draw + TOKENS + 1] = tokensNow;
  }
  const sums = emptySums();
  return { sums: (draw) => readSums(rows, ROW * draw, sums) };
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

/** Adds a histogram of kinds to the row that begins at `start`. */
function addKinds(kinds: Int32Array, rows: Int32Array | Float64Array, start: number): void {
  for (let kind = 0; kind < KINDS; kind++) {
    const items = kinds[kind];
    if (items === 0) continue;
    const state = start + PARTS * (kind >> 4);
    rows[state] += items;
    for (let bit = 0; bit < 4; bit++) if ((kind >> bit) & 1) rows[state + 1 + bit] += items;
  }
}

function emptySums(): PairSums {
  const none = (): Sums => ({ count: 0, correct: [0, 0], faithful: [0, 0] });
  return { ...none(), asked: 0, thinkTokens: [0, 0], hard: none() };
}

function readSums(rows: Int32Array | Float64Array, start: number, sums: PairSums): PairSums {
  const { hard } = sums;
  const [inEasy, inHard, inUnknown, inApart] = [start + EASY, start + HARD, start + UNKNOWN, start + APART];
  hard.count = rows[inHard] + rows[inApart];
  sums.count = rows[inEasy] + rows[inHard] + rows[inUnknown];
  sums.asked = sums.count + rows[inApart];
  for (let side = 0; side < 2; side++) {
    for (const [what, part] of FIGURES) {
      const at = part + side;
      hard[what][side] = rows[inHard + at] + rows[inApart + at];
      sums[what][side] = rows[inEasy + at] + rows[inHard + at] + rows[inUnknown + at];
    }
    sums.thinkTokens[side] = rows[start + TOKENS + side];
  }
  return sums;
}
