/**
 * The bootstrap of docs/experiments.md: starts are drawn with replacement, of each drawn start as many RL seeds as it has,
 * then items. Every run is measured on the same items, so a draw has one set of items for all its runs: the runs' errors
 * on a hard item are not independent, and drawing items for each run apart would make the interval too narrow.
 *
 * For fractions of runs (how many lose their reasoning) the items have been drawn already, 10,000 times in each verdict;
 * there only starts and seeds are drawn.
 */
import { createRandom, type Random } from '../../src/random';

export const DRAWS = 10_000;

/** An estimate with its 95 % percentile interval. */
export interface Interval {
  value: number;
  low: number;
  high: number;
}

/** One run's outcomes on items: 0 or 1 each. `counted` is 0 for items that the figure leaves out. */
export interface Marks {
  before: Uint8Array;
  after: Uint8Array;
  counted: Uint8Array;
}

export interface MarkSums {
  count: number;
  before: number;
  after: number;
}

/** Item numbers of every draw, one after the other; shared by all figures. */
export interface ItemDraws {
  draws: number;
  count: number;
  indices: Uint16Array;
}

const TAIL = 0.025;
const ITEM_STREAM = 0x6974656d;

/** @param count items, at most 65,536 */
export function drawItems(count: number, draws: number, seed: number): ItemDraws {
  const random = createRandom(seed, ITEM_STREAM);
  return { draws, count, indices: Uint16Array.from({ length: count * draws }, () => random.integer(count)) };
}

/** Starts with replacement, then of each as many of its runs as it has, with replacement. */
export function drawRuns<Run>(starts: readonly (readonly Run[])[], random: Random): Run[] {
  const drawn: Run[] = [];
  for (let start = 0; start < starts.length; start++) {
    const runs = random.choice(starts);
    for (let run = 0; run < runs.length; run++) drawn.push(random.choice(runs));
  }
  return drawn;
}

/** A figure of the runs, taken again on every draw of starts and seeds. */
export function resampleRuns(draws: number, seed: number, figure: (random: Random) => number): Float64Array {
  const random = createRandom(seed, 0x72756e73);
  return Float64Array.from({ length: draws }, () => figure(random));
}

/**
 * Sums of the marks of the drawn runs on the drawn items, one for each draw, in the order of the item draws. An item's three
 * marks are one number, so that a drawn item is one addition.
 */
export function resampleMarks(
  starts: readonly (readonly Marks[])[],
  items: ItemDraws,
  seed: number,
): MarkSums[] {
  const random = createRandom(seed, 0x6d61726b);
  const places = starts.map((runs) => runs.map((marks) => ({ packed: packed(marks), times: 0 })));
  const all = places.flat();
  return Array.from({ length: items.draws }, (_, draw) => {
    for (const place of all) place.times = 0;
    for (const place of drawRuns(places, random)) place.times += 1;
    const total: MarkSums = { count: 0, before: 0, after: 0 };
    for (const { packed: marks, times } of all) {
      if (times === 0) continue;
      const sum = sumOfDraw(marks, items, draw);
      total.count += times * (sum % BASE);
      total.before += times * (Math.floor(sum / BASE) % BASE);
      total.after += times * Math.floor(sum / BASE ** 2);
    }
    return total;
  });
}

/** More than the items of a draw; three digits of it are exact in a double. */
const BASE = 2 ** 17;

function packed({ before, after, counted }: Marks): Float64Array {
  return Float64Array.from(
    counted,
    (counts, item) => counts * (1 + BASE * before[item] + BASE ** 2 * after[item]),
  );
}

function sumOfDraw(marks: Float64Array, { indices, count }: ItemDraws, draw: number): number {
  const end = (draw + 1) * count;
  let sum = 0;
  for (let place = draw * count; place < end; place++) sum += marks[indices[place]];
  return sum;
}

/** The sums as they are, without drawing. */
export function sumOfMarks(all: readonly Marks[]): MarkSums {
  const total: MarkSums = { count: 0, before: 0, after: 0 };
  for (const { before, after, counted } of all) {
    counted.forEach((counts, item) => {
      total.count += counts;
      total.before += counts * before[item];
      total.after += counts * after[item];
    });
  }
  return total;
}

/** Percentile interval; draws on which the figure is not defined (NaN) are left out. */
export function intervalOf(value: number, draws: ArrayLike<number>): Interval {
  const sorted = Float64Array.from(draws)
    .filter((draw) => !Number.isNaN(draw))
    .sort();
  if (sorted.length === 0) return { value, low: NaN, high: NaN };
  const last = sorted.length - 1;
  return { value, low: sorted[Math.floor(TAIL * last)], high: sorted[Math.ceil((1 - TAIL) * last)] };
}

/** The bootstrap probability of what `holds` says of a draw; undefined draws count as holding, which is against a claim. */
export function probabilityOf(draws: ArrayLike<number>, holds: (draw: number) => boolean): number {
  const all = Array.from(draws);
  return all.filter((draw) => Number.isNaN(draw) || holds(draw)).length / all.length;
}
