/**
 * The rows of the held-out evaluation: those of the twelve tasks of 2507.15788 and of the columns of Table 1 of 2504.01698
 * for which data is present. A row has the score with its 95 % interval, whether the task is in the training distribution, the
 * score of the shortcut alone, and the accuracy on hard items.
 */
import { isApart, isEasy, type Item } from '../tom/item';
import { builtInTasks } from '../tom/worlds/orders';
import { wilson, type Accuracy } from './accuracy';
import { isRight } from './score';

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

/** How the items of a task are selected and split. */
interface Rule {
  /** Selects the items of this task from its data set. Omitted: all. */
  holds?: (item: Item) => boolean;
  /** Parts of an item, in addition to `all`. Omitted: its order. */
  parts?: (item: Item) => string[];
}

const byKind = (item: Item): string[] => (item.kind === undefined ? [] : [item.kind]);
const byOrder = (item: Item): string[] => [`order ${item.order}`];
const byOrderAndKind = (item: Item): string[] => [...byOrder(item), ...byKind(item)];

/** Selects ToM-RL's 600 fourth-order questions. They have separate stories and a separate row in ToM-RL's table. */
function isFourthOrderSet({ kind }: Item): boolean {
  return kind === '4th-order';
}

const rules: Partial<Record<string, Rule>> = {
  // Stories of a separate set, such as those with re-entry, do not count for their order.
  swap: { parts: (item) => (isApart(item) ? byKind(item) : byOrder(item)) },
  rooms: { parts: (item) => (isApart(item) ? byKind(item) : byOrderAndKind(item)) },
  'Hi-ToM': {
    holds: (item) => !isFourthOrderSet(item),
    parts: (item) => [...byOrder(item), ...(item.kind ?? '').split(' ').filter((word) => word !== '')],
  },
  '4th-order ToM': { holds: isFourthOrderSet, parts: () => [] },
  ToMi: { parts: byOrderAndKind },
  'Who knows': { parts: (item) => [item.scoring?.rule === 'names' ? 'list' : 'binary'] },
  GSM8K: { parts: () => [] },
} satisfies Partial<Record<keyof typeof builtInTasks, Rule>>;

/**
 * Returns one row per task and part with answers, in the order of `builtInTasks`. Other data sets follow under their names.
 *
 * @param isTrained whether the run trained on items of the same kind (not on the item itself)
 */
export function suiteRows(answers: readonly SuiteAnswer[], isTrained: (item: Item) => boolean): SuiteRow[] {
  const known: [task: string, dataset: string][] = Object.entries(builtInTasks);
  const names = new Set(answers.map(({ item }) => item.dataset));
  for (const [, dataset] of known) names.delete(dataset);
  return [...known, ...Array.from(names, (name) => [name, name])].flatMap(([task, dataset]) => {
    const { holds = () => true, parts: partsOf = byOrder } = rules[task] ?? {};
    const taskAnswers = answers.filter(({ item }) => item.dataset === dataset && holds(item));
    if (taskAnswers.length === 0) return [];
    const parts = [...new Set(taskAnswers.flatMap(({ item }) => partsOf(item)))].sort();
    const rows = parts.map((part) => {
      const ofPart = taskAnswers.filter(({ item }) => partsOf(item).includes(part));
      return rowOf(task, part, ofPart, isTrained);
    });
    return [rowOf(task, 'all', taskAnswers, isTrained), ...rows];
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
