/**
 * The rows of the held-out evaluation (2507.15788's twelve tasks and the columns of 2504.01698's Table 1, as far as data
 * is present): each with its score and 95 % interval, whether it is in or out of the training distribution, what the
 * shortcut alone would score, and the accuracy where the shortcut is wrong.
 *
 * Left out: an interval for macro-F1, which has no simple one; the row's interval
 * is that of plain accuracy beside it.
 */
import { isApart, isShortcutRight, type Item } from '../tom/item';
import { wilson, type Accuracy } from './accuracy';
import { classesOf, isRight, macroF1 } from './official';

export interface SuiteAnswer {
  item: Item;
  /** The text of the answer tag; null when none could be read. */
  answer: string | null;
}

export interface SuiteRow {
  /** `Hi-ToM`, `OpenToM`, … */
  task: string;
  /** `order 2`, `told`, `second_order`, …; `all` for the whole task. */
  part: string;
  /** Whether training saw items of this kind. */
  inDistribution: boolean;
  accuracy: Accuracy;
  /** OpenToM's own score, with the fraction of answers that could not be read. */
  macroF1: { macroF1: number; corruption: number } | null;
  /** What the shortcut alone would score; null where it says nothing. */
  shortcutLine: number | null;
  /** Accuracy where the shortcut is wrong. */
  shortcutConflict: Accuracy | null;
}

interface Task {
  name: string;
  datasets: readonly string[];
  /** Which of their items are this task's; all where left out. */
  holds?(item: Item): boolean;
  /** The parts that an item belongs to besides `all`. */
  parts(item: Item): string[];
}

const byKind = (item: Item): string[] => (item.kind === undefined || item.kind === '' ? [] : [item.kind]);
const byOrder = (item: Item): string[] => [`order ${item.order}`];

/** ToM-RL's 600 questions of the fourth order from stories of its own, which its table keeps apart from Hi-ToM's. */
function isFourthOrderSet({ kind }: Item): boolean {
  return kind === '4th-order';
}

const tasks: readonly Task[] = [
  {
    name: 'swap',
    datasets: ['swap'],
    // Stories of a set of their own, as those with re-entry, are not part of their order.
    parts: (item) => (isApart(item) ? byKind(item) : byOrder(item)),
  },
  {
    name: 'rooms',
    datasets: ['rooms'],
    parts: (item) => (isApart(item) ? byKind(item) : [...byOrder(item), ...byKind(item)]),
  },
  {
    name: 'Hi-ToM',
    datasets: ['hitom'],
    holds: (item) => !isFourthOrderSet(item),
    parts: (item) => [...byOrder(item), ...(item.kind ?? '').split(' ').filter((word) => word !== '')],
  },
  { name: '4th-order ToM', datasets: ['hitom'], holds: isFourthOrderSet, parts: () => [] },
  { name: 'ToMi', datasets: ['tomi'], parts: (item) => [...byOrder(item), ...byKind(item)] },
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
 * @param isTrained whether the run trained on items of this one's kind (not on the item itself)
 */
export function suiteRows(answers: readonly SuiteAnswer[], isTrained: (item: Item) => boolean): SuiteRow[] {
  const known = new Set(tasks.flatMap(({ datasets }) => datasets));
  const others = [...new Set(answers.map(({ item }) => item.dataset).filter((name) => !known.has(name)))];
  const all: Task[] = [...tasks, ...others.map((name) => ({ name, datasets: [name], parts: byOrder }))];
  return all.flatMap((task) => {
    const mine = answers.filter(
      ({ item }) => task.datasets.includes(item.dataset) && (task.holds?.(item) ?? true),
    );
    if (mine.length === 0) return [];
    const parts = [...new Set(mine.flatMap(({ item }) => task.parts(item)))].sort();
    const rows = parts.map((part) =>
      rowOf(
        task.name,
        part,
        mine.filter(({ item }) => task.parts(item).includes(part)),
        isTrained,
      ),
    );
    return [rowOf(task.name, 'all', mine, isTrained), ...rows];
  });
}

function rowOf(
  task: string,
  part: string,
  answers: readonly SuiteAnswer[],
  isTrained: (item: Item) => boolean,
): SuiteRow {
  const right = answers.map(({ item, answer }) => isRight(answer, item));
  const shortcut = answers.map(({ item }) => isShortcutRight(item));
  const said = shortcut.filter((hit) => hit !== null);
  const conflict = answers.map((_, index) => index).filter((index) => shortcut[index] === false);
  const classed = classesOf(answers);
  return {
    task,
    part,
    inDistribution: answers.every(({ item }) => isTrained(item)),
    accuracy: wilson(right.filter(Boolean).length, answers.length),
    macroF1: classed.gold.length === 0 ? null : macroF1(classed.gold, classed.predicted),
    shortcutLine: said.length === 0 ? null : said.filter(Boolean).length / said.length,
    shortcutConflict:
      said.length === 0 ? null : wilson(conflict.filter((index) => right[index]).length, conflict.length),
  };
}
