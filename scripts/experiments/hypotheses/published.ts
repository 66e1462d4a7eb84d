/** H7: `hitom-mini` on the published items, one start, two RL seeds. */
import {
  drawItems,
  intervalOf,
  resampleMarks,
  sumOfMarks,
  type Interval,
  type Marks,
  type MarkSums,
} from '../bootstrap';
import type { RunLine } from '../lines';
import { changeOf, orderMarks, SEED } from '../study';

export const PLANNED_RUNS = 2;
/** Orders that training asks; order 4 is held out. */
const TRAINED_ORDERS = [0, 1, 2, 3];
/** Mean think length afterwards, as a fraction of before, that the rule asks to be below. */
export const HALF = 0.5;

export interface OrderRow {
  /** A single order, or all that training asks. */
  name: string;
  /** Items, each asked once in every run. */
  items: number;
  /** Fraction of the items that the shortcut answers; null where none has one. */
  shortcut: number | null;
  /** Greedy accuracy, its paired change with a 95 % interval. */
  before: number;
  after: number;
  change: Interval;
  thinkBefore: number;
  thinkAfter: number;
  faithfulBefore: number;
  faithfulAfter: number;
}

export interface PublishedBenchmark {
  runs: readonly RunLine[];
  /** Orders 0 to 3 together, then each order; empty without runs. */
  rows: OrderRow[];
  /** Orders 0 to 3 of the items that are told in their own words throughout; null without runs, or where it was not kept. */
  unchanged: OrderRow | null;
  /** Null while a run is missing. */
  repeats: boolean | null;
  /** Mean think length on orders 0 to 3 after training over that before; null without runs. */
  lengthRatio: number | null;
}

/** @throws Error where the runs were measured on different items */
export function publishedBenchmark(runs: readonly RunLine[], draws: number): PublishedBenchmark {
  if (runs.length === 0) return { runs, rows: [], unchanged: null, repeats: null, lengthRatio: null };
  const [{ before: first }] = runs;
  const differing = runs.find(({ before: { greedy } }) => greedy.order !== first.greedy.order);
  if (differing !== undefined) {
    throw new Error(
      `${differing.id} was measured on other published items than ${runs[0].id}. Make it again.`,
    );
  }
  const orders = [...new Set(ordersOf(first))].sort((a, b) => a - b);
  const row = (name: string, of: readonly number[], isAsked?: (item: number) => boolean): OrderRow =>
    rowOf(name, itemsOf(first, of, isAsked), runs, draws);
  const together = row('0 to 3', TRAINED_ORDERS);
  const { reworded } = runs[0];
  const lengthRatio = together.thinkAfter / together.thinkBefore;
  return {
    runs,
    rows: [together, ...orders.map((order) => row(String(order), [order]))],
    unchanged:
      reworded === undefined
        ? null
        : row('0 to 3, no word replaced', TRAINED_ORDERS, (item) => reworded[item] === '0'),
    repeats: runs.length < PLANNED_RUNS ? null : together.change.low > 0 && lengthRatio < HALF,
    lengthRatio,
  };
}

function itemsOf(
  { greedy }: RunLine['before'],
  orders: readonly number[],
  isAsked: (item: number) => boolean = () => true,
): number[] {
  return [...greedy.order].flatMap((order, item) =>
    orders.includes(Number(order)) && isAsked(item) ? [item] : [],
  );
}

function rowOf(name: string, chosen: readonly number[], runs: readonly RunLine[], draws: number): OrderRow {
  const { greedy } = runs[0].before;
  const known = chosen.filter((item) => greedy.shortcut[item] !== '-');
  const marks = runs.map((run) => marksOf(run, chosen));
  const items = drawItems(greedy.order.length, draws, SEED);
  const sums: MarkSums = sumOfMarks(marks);
  const mean = (of: (run: RunLine, item: number) => number): number =>
    runs.reduce((sum, run) => sum + chosen.reduce((own, item) => own + of(run, item), 0), 0) /
    (runs.length * chosen.length);
  return {
    name,
    items: chosen.length,
    shortcut:
      known.length === 0 ? null : known.filter((item) => greedy.shortcut[item] === '1').length / known.length,
    before: sums.before / sums.count,
    after: sums.after / sums.count,
    change: intervalOf(changeOf(sums), resampleMarks([marks], items, SEED).map(changeOf)),
    thinkBefore: mean(({ before }, item) => before.greedy.thinkTokens[item]),
    thinkAfter: mean(({ after }, item) => after.greedy.thinkTokens[item]),
    faithfulBefore: mean(({ before }, item) => Number(before.greedy.trace[item] === 'f')),
    faithfulAfter: mean(({ after }, item) => Number(after.greedy.trace[item] === 'f')),
  };
}

function ordersOf({ greedy }: RunLine['before']): number[] {
  return Array.from(greedy.order, Number);
}

function marksOf(run: RunLine, chosen: readonly number[]): Marks {
  const counted = new Uint8Array(run.before.greedy.order.length);
  for (const item of chosen) counted[item] = 1;
  return { ...orderMarks({ line: run }, TRAINED_ORDERS[0]), counted };
}
