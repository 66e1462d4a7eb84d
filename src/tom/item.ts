/**
 * One question about one story, with all that is known about its truth. Every generator and every importer yields
 * this record; prompts, rewards, evaluation and the page read nothing else.
 */

/** Whether other people's terms let a model be trained on an item. Training on a forbidden one is refused. */
export type TrainingPermission = 'allowed' | 'forbidden';

/** How much a gold trace says: every event, the deciding one, or nothing. */
export type Verbosity = 'full' | 'short' | 'direct';

/** How a data set's own evaluation decides whether an answer is right; without one it must equal the gold answer. */
export type Scoring =
  /** Every right name occurs and no wrong one does (FANToM's lists). */
  | { rule: 'names'; right: string[]; wrong: string[] }
  /** Read as yes or no (FANToM). */
  | { rule: 'binary' }
  /** Exactly one of these must be named; reported as macro-F1 (OpenToM). */
  | { rule: 'classes'; classes: string[] }
  /** The last number counts (GSM8K). */
  | { rule: 'number' };

/** The prompt but for the story and the question, which every prompt has. */
export interface PromptSettings {
  /** As the task has it where left out; of a chat template that adds its own, or an empty one. */
  systemPrompt?: 'task' | 'template' | 'none';
  /** Goes before `systemPrompt` where it is not empty. */
  systemText?: string;
  /** The task's own where empty. */
  instruction?: string;
}

export interface Item {
  /** Unique within its data set. */
  id: string;
  /** Where it comes from: `swap`, `hitom`, `tomi`, `exploretom`, … */
  dataset: string;
  /** Items of one story share it: train/test splits go by story. */
  storyId: string;
  story: string;
  question: string;
  /** The answers offered, where the task offers them; never in an order that tells. */
  choices?: string[];
  answer: string;
  /** Order of the belief asked for: 0 is reality, 1 "where does A think …", up to 4. */
  order: number;
  /** The data set's own name for the kind of question. */
  kind?: string;
  /**
   * What rules that track no belief would answer, by the rule's name: `first-event` (where the object was after the first
   * event), `first-place` (where it was at first) and `first-leaver` (where it was when the first of those asked about
   * left). The first one named is the data set's own, by which items are told apart; the others are drawn beside it. None for questions after reality.
   */
  shortcuts: Record<string, string>;
  /** Gold completions (what follows the pre-filled `<think>`), where the world is known. */
  traces?: Partial<Record<Verbosity, string>>;
  /** The simulated world behind the story, where there is one; its shape is the data set's own (plain JSON). */
  world?: unknown;
  training: TrainingPermission;
  /** The prompt around the story and the question, where a run does not leave it to the task. */
  prompt?: PromptSettings;
  /** A baseline that an evaluation asks the question by, in the place of the task's instruction or the run's. */
  baseline?: PromptBaseline;
  scoring?: Scoring;
}

/** `plain`: the prompt closes the reasoning and opens the answer. `cot`: it asks for thinking step by step. */
export type PromptBaseline = 'plain' | 'cot';

/** Which items to make: plain data, part of the run configuration and of the link. */
export interface DataSpec {
  /** Name of a generator (`swap`, `hitom`, `tomi`, `exploretom`, …) or `imported:` with an imported data set's id: its name and the hash of its items. */
  source: string;
  /** Orders asked for in training, drawn uniformly. */
  orders: number[];
  /** Probability that an item which the shortcut answers rightly is dropped and drawn again; 0 leaves the world as it is. */
  dropShortcutRight: number;
  /** Whether stories may have agents who come back in (`swap` only: in the others they may anyway). */
  reentry: boolean;
  /**
   * `swap`: fraction of the stories in which no swap after the first touches the object; 0.2 where left out. `rooms`:
   * fraction of the stories that the shortcut answers rightly; 0.9 where left out.
   */
  rho?: number;
  /** `swap` only: swaps in a story, 3 to 12; 6 where left out. */
  events?: number;
  /** `rooms` only: 2 to 5; 3 where left out. */
  people?: number;
  /** `rooms` only: 3 to 6; 4 where left out. */
  containers?: number;
  /** `rooms` only: moves of the thing in a story, 2 to 8; 5 where left out. */
  moves?: number;
}

/** The kinds of stories that an evaluation keeps apart from the orders, each in a set of its own. */
const APART: readonly (string | undefined)[] = ['re-entry', 'longer stories', 'other world'];

/** Whether the item is of such a set, so that it counts towards no order. */
export function isApart({ kind }: Item): boolean {
  return APART.includes(kind);
}

/** The data set's own rule that tracks no belief; null where no rule is known. */
export function shortcutOf(item: Item): { name: string; answer: string } | null {
  const [first] = Object.entries(item.shortcuts);
  return first === undefined ? null : { name: first[0], answer: first[1] };
}

/** Whether that rule answers the item rightly; null where no rule is known. */
export function isShortcutRight(item: Item): boolean | null {
  const shortcut = shortcutOf(item);
  return shortcut === null ? null : shortcut.answer === item.answer;
}
