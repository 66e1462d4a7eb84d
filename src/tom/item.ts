/**
 * One question about one story, with everything known about its true answer. Every generator and every importer yields
 * this record; prompts, rewards, evaluation and the page read nothing else.
 */

/** Length of a gold trace: every event, the deciding event, or nothing. */
export type Verbosity = 'full' | 'short' | 'direct';

/** The scoring rule of the data set's own evaluation; without one, the answer must equal the gold answer. */
export type Scoring =
  /** Every right name occurs and no wrong name does (FANToM's lists). */
  | { rule: 'names'; right: string[]; wrong: string[] }
  /** The answer is parsed as yes or no (FANToM). */
  | { rule: 'binary' }
  /** The last number is the answer (GSM8K). */
  | { rule: 'number' };

/** Prompt settings other than the story and the question. */
export interface PromptSettings {
  /** Default: the task's. `template` uses the chat template's own system prompt, and `none` an empty one. */
  systemPrompt?: 'task' | 'template' | 'none';
  /** Replaces the system prompt that `systemPrompt` selects, unless empty. */
  systemText?: string;
  /** Replaces the task's instruction, unless empty. */
  instruction?: string;
}

export interface Item {
  /** Unique within the data set. */
  id: string;
  /** Name of the data set: `swap`, `hitom`, `tomi`, `exploretom`, … */
  dataset: string;
  /** Shared by all items of one story, because train/test splits go by story. */
  storyId: string;
  story: string;
  question: string;
  /** The answers offered, if the task offers any; their order carries no information. */
  choices?: string[];
  answer: string;
  /** Order of the belief in question: 0 is reality, 1 "where does A think …", up to 4. */
  order: number;
  /** The data set's own name for the kind of question. */
  kind?: string;
  /**
   * Answer of the data set's rule that tracks no belief: where the object was after the first event (swap), at first
   * (rooms), or when the first agent in the question left (all others). Absent if no rule is known, and for questions
   * about reality.
   */
  shortcut?: string;
  /** Gold completions (the text after the pre-filled `<think>`), if the world is known. */
  traces?: Partial<Record<Verbosity, string>>;
  /** The simulated world of the story, if there is one, as plain JSON; its shape depends on the data set. */
  world?: unknown;
  /** Prompt settings of the run; without them the task's prompt applies. */
  prompt?: PromptSettings;
  /** Prompt baseline of an evaluation; replaces the instruction of the task or the run. */
  baseline?: PromptBaseline;
  scoring?: Scoring;
}

/** `plain`: the prompt closes the reasoning and opens the answer. `cot`: it asks the model to think step by step. */
export type PromptBaseline = 'plain' | 'cot';

/** Which items to generate: plain data, part of the run configuration and of the link. */
export interface DataSpec {
  /**
   * Name of a generator (`swap`, `hitom`, `tomi`, `exploretom`, …), or `imported:` and the id of an imported data set
   * (its name and the hash of its items).
   */
  source: string;
  /** Orders of the training questions, drawn uniformly. */
  orders: number[];
  /** Probability that an item which the shortcut answers correctly is dropped and drawn again; 0 keeps all items. */
  dropShortcutRight: number;
  /** Lets agents re-enter (`swap` only; other worlds always allow it). */
  reentry: boolean;
  /**
   * `swap`: fraction of stories in which no swap after the first touches the object; default 0.2. `rooms`: fraction of
   * stories that the shortcut answers correctly; default 0.9.
   */
  rho?: number;
  /** `swap` only: number of swaps in a story, 3 to 12; default 6. */
  events?: number;
  /** `rooms` only: 2 to 5; default 3. */
  people?: number;
  /** `rooms` only: 3 to 6; default 4. */
  containers?: number;
  /** `rooms` only: number of moves in a story, 2 to 8; default 5. */
  moves?: number;
}

/** Kinds of stories that an evaluation reports as separate sets instead of by order. */
const APART: readonly (string | undefined)[] = ['re-entry', 'longer stories', 'other world'];

/** True if an item belongs to such a set and therefore counts towards no order. */
export function isApart({ kind }: Item): boolean {
  return APART.includes(kind);
}

/** True for an easy item, which the shortcut answers correctly; false for a hard one; null if no shortcut is known. */
export function isEasy({ shortcut, answer }: Item): boolean | null {
  return shortcut === undefined ? null : shortcut === answer;
}

/** True for a hard item: only hard items separate reasoning from the shortcut. */
export function isHard(item: Item): boolean {
  return isEasy(item) === false;
}
