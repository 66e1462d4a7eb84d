/**
 * The rows of the held-out evaluation: those of the twelve tasks of 2507.15788 and of the columns of Table 1 of 2504.01698
 * for which data is present. A row has the score with its 95 % interval, whether the task is in the training distribution, the
 * score of the shortcut alone, and the accuracy on hard items.
 */
import { isApart, isEasy, type Item } from '../tom/item';
import { wilson, type Accuracy } from './accuracy';
import { isRight } from './official';

export interface SuiteAnswer {
  item: Item;
  /** Text of the answer tag; null if it could not be read. */
  answer: string | null;
}

export interface SuiteRow {
  /** `Hi-ToM`, `ToMi`, … */
  task: string;
  /** `order 2`, `told`, `second_order`, …; `all` for the whole task. */
  part: string;
  /** True if training used items of this kind. */
  inDistribution: boolean;
  accuracy: Accuracy;
  /** Accuracy of the shortcut alone; null if it applies to none of the items. */
  shortcutLine: number | null;
  /** Accuracy on hard items. */
  shortcutConflict: Accuracy | null;
}

interface Task {
  name: string;
  datasets: readonly string[];
  /** Selects the items of this task from its data sets. Omitted: all. */
  holds?(item: Item): boolean;
  /** Parts of an item, in addition to `all`. */
  parts(item: Item): string[];
}

const byKind = (item: Item): string[] => (item.kind === undefined ? [] : [item.kind]);
const byOrder = (item: Item): string[] => [`order ${item.order}`];

/** Selects ToM-RL's 600 fourth-order questions. They have separate stories and a separate row in ToM-RL's table. */
function isFourthOrderSet({ kind }: Item): boolean {
  return kind === '4th-order';
}

const tasks: readonly Task[] = [
  {
    name: 'swap',
    datasets: ['swap'],
    // Stories of a separate set, such as those with re-entry, do not count for their order.
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
  { name: 'ExploreToM structured', datasets: ['exploretom'], parts: byOrder },
  { name: 'ExploreToM infilled', datasets: ['exploretom-infilled'], parts: byOrder },
  {
    name: 'Who knows',
    datasets: ['who-knows'],
    parts: (item) => [item.scoring?.rule === 'names' ? 'list' : 'binary'],
  },
  { name: 'GSM8K', datasets: ['gsm8k'], parts: () => [] },
];

/** Names of the built-in tasks and their data sets. */
export const taskNames: readonly string[] = tasks.flatMap(({ name, datasets }) => [name, ...datasets]);

/**
 * Returns one row per task and part with answers, in the order of `tasks`. Other data sets follow under their names.
 *
 * @param isTrained whether the run trained on items of the same kind (not on the item itself)
 */
export function suiteRows(answers: readonly SuiteAnswer[], isTrained: (item: Item) => boolean): SuiteRow[] {
  const known = new Set(tasks.flatMap(({ datasets }) => datasets));
  const others = [...new Set(answers.map(({ item }) => item.dataset).filter((name) => !known.has(name)))];
  const all: Task[] = [...tasks, ...others.map((name) => ({ name, datasets: [name], parts: byOrder }))];
  return all.flatMap((task) => {
    const taskAnswers = answers.filter(
      ({ item }) => task.datasets.includes(item.dataset) && (task.holds?.(item) ?? true),
    );
    if (taskAnswers.length === 0) return [];
    const parts = [...new Set(taskAnswers.flatMap(({ item }) => task.parts(item)))].sort();
    const rows = parts.map((part) =>
      rowOf(
        task.name,
        part,
        taskAnswers.filter(({ item }) => task.parts(item).includes(part)),
        isTrained,
      ),
    );
    return [rowOf(task.name, 'all', taskAnswers, isTrained), ...rows];
  });
}

function rowOf(
  task: string,
  part: string,
  answers: readonly SuiteAnswer[],
  isTrained: (item: Item) => boolean,
): SuiteRow {
  const right = answers.map(({ item, answer }) => isRight(answer, item));
  const easy = answers.map(({ item }) => isEasy(item));
  const known = easy.filter((one) => one !== null);
  const hard = right.filter((_, index) => easy[index] === false);
  return {
    task,
    part,
    inDistribution: answers.every(({ item }) => isTrained(item)),
    accuracy: wilson(right.filter(Boolean).length, answers.length),
    shortcutLine: known.length === 0 ? null : known.filter(Boolean).length / known.length,
    shortcutConflict: known.length === 0 ? null : wilson(hard.filter(Boolean).length, hard.length),
  };
}
