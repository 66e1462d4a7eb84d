/**
 * The rows of the held-out evaluation (2507.15788's twelve tasks, as far as data is present): each with its score and
 * 95 % interval, whether it is in or out of the training distribution, what the shortcut alone would score, and the
 * accuracy where the shortcut is wrong.
 *
 * The interval is Wilson's (JASA 1927). Left out: an interval for macro-F1, which has no simple one; the row's interval
 * is that of plain accuracy beside it.
 */
import type { Item } from '../tom/item';
import { classesOf, isRight, macroF1 } from './official';

export interface SuiteAnswer {
  item: Item;
  /** The text of the answer tag; null when none could be read. */
  answer: string | null;
}

export interface Share {
  count: number;
  share: number;
  low: number;
  high: number;
}

export interface SuiteRow {
  /** `Hi-ToM`, `OpenToM`, … */
  task: string;
  /** `order 2`, `told`, `second_order`, …; `all` for the whole task. */
  part: string;
  /** Whether training saw items of this data set and order. */
  inDistribution: boolean;
  accuracy: Share;
  /** OpenToM's own score, with the share of answers that could not be read. */
  macroF1: { macroF1: number; corruption: number } | null;
  /** What the shortcut alone would score; null where it says nothing. */
  shortcutLine: number | null;
  /** Accuracy where the shortcut is wrong. */
  shortcutConflict: Share | null;
}

interface Task {
  name: string;
  datasets: readonly string[];
  /** The parts that an item belongs to besides `all`. */
  parts(item: Item): string[];
}

const byKind = (item: Item): string[] => (item.kind === undefined || item.kind === '' ? [] : [item.kind]);
const byOrder = (item: Item): string[] => [`order ${item.order}`];

const tasks: readonly Task[] = [
  { name: 'nano', datasets: ['nano'], parts: (item) => [...byOrder(item), ...byKind(item)] },
  {
    name: 'Hi-ToM',
    datasets: ['hitom'],
    parts: (item) => [...byOrder(item), ...(item.kind ?? '').split(' ').filter((word) => word !== '')],
  },
  { name: 'ToMi', datasets: ['tomi'], parts: byKind },
  { name: 'ExploreToM structured', datasets: ['exploretom', 'exploretom-knowledge'], parts: byOrder },
  { name: 'ExploreToM infilled', datasets: ['exploretom-infilled'], parts: byOrder },
  {
    name: 'FANToM',
    datasets: ['fantom'],
    parts: (item) => [item.scoring?.rule === 'names' ? 'list' : 'binary', ...byKind(item)],
  },
  { name: 'OpenToM', datasets: ['opentom'], parts: byKind },
  { name: 'BigToM', datasets: ['bigtom'], parts: byKind },
  { name: 'GSM8K', datasets: ['gsm8k'], parts: () => [] },
];

/**
 * One row for each task and part that has answers, in the order of `tasks`; other data sets follow by their names.
 *
 * @param trainedOn what the run trained on: its data sets and the orders asked in them
 */
export function suiteRows(
  answers: readonly SuiteAnswer[],
  trainedOn: readonly { dataset: string; orders: readonly number[] }[],
): SuiteRow[] {
  const known = new Set(tasks.flatMap(({ datasets }) => datasets));
  const others = [...new Set(answers.map(({ item }) => item.dataset).filter((name) => !known.has(name)))];
  const all: Task[] = [...tasks, ...others.map((name) => ({ name, datasets: [name], parts: byOrder }))];
  return all.flatMap((task) => {
    const mine = answers.filter(({ item }) => task.datasets.includes(item.dataset));
    if (mine.length === 0) return [];
    const parts = [...new Set(mine.flatMap(({ item }) => task.parts(item)))].sort();
    const rows = parts.map((part) =>
      rowOf(
        task.name,
        part,
        mine.filter(({ item }) => task.parts(item).includes(part)),
        trainedOn,
      ),
    );
    return [rowOf(task.name, 'all', mine, trainedOn), ...rows];
  });
}

function rowOf(
  task: string,
  part: string,
  answers: readonly SuiteAnswer[],
  trainedOn: readonly { dataset: string; orders: readonly number[] }[],
): SuiteRow {
  const right = answers.map(({ item, answer }) => isRight(answer, item));
  const shortcut = answers
    .map(({ item }) => item.shortcuts['first-leaver'])
    .map((said, index) => said && said === answers[index].item.answer);
  const said = answers.filter(({ item }) => item.shortcuts['first-leaver'] !== undefined);
  const conflict = answers.map((_, index) => index).filter((index) => shortcut[index] === false);
  const classed = classesOf(answers);
  return {
    task,
    part,
    inDistribution: answers.every(({ item }) =>
      trainedOn.some(({ dataset, orders }) => dataset === item.dataset && orders.includes(item.order)),
    ),
    accuracy: shareOf(right.filter(Boolean).length, answers.length),
    macroF1: classed.gold.length === 0 ? null : macroF1(classed.gold, classed.predicted),
    shortcutLine: said.length === 0 ? null : shortcut.filter((hit) => hit === true).length / said.length,
    shortcutConflict:
      said.length === 0 ? null : shareOf(conflict.filter((index) => right[index]).length, conflict.length),
  };
}

/** A share of a count with Wilson's 95 % interval; the whole of [0, 1] for no count. */
export function shareOf(hits: number, count: number): Share {
  if (count === 0) return { count, share: 0, low: 0, high: 1 };
  const z = 1.959963984540054;
  const share = hits / count;
  const centre = share + z ** 2 / (2 * count);
  const spread = z * Math.sqrt((share * (1 - share)) / count + z ** 2 / (4 * count ** 2));
  const scale = 1 + z ** 2 / count;
  return {
    count,
    share,
    low: Math.max(0, (centre - spread) / scale),
    high: Math.min(1, (centre + spread) / scale),
  };
}
