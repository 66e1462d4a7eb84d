/**
 * What became of each item of an evaluation: the facts that the verdict compares, before and after, item by item.
 *
 * A trace is one of five things. `faithful`: every statement is true, and they cover at least .8 of what the question
 * needs. `partial`: all true, but they cover less. `false`: a statement is false, or cannot be read. `empty`: nothing was
 * said. `cut`: the think block never closes.
 */
import { isShortcutRight } from '../../tom/item';
import { possibleAnswers } from '../../tom/worlds/item-world';
import type { Sample } from '../record/sample';

export type TraceOutcome = 'faithful' | 'partial' | 'false' | 'empty' | 'cut';

export interface ItemOutcome {
  order: number;
  correct: boolean;
  /** Whether the data set's own shortcut answers this item rightly; null where it has none. */
  shortcutRight: boolean | null;
  /** How many answers are possible, so that a guess is right one time in so many; null where that is not known. */
  answers: number | null;
  thinkTokens: number;
  /** Null where no simulated world stands behind the item. */
  trace: TraceOutcome | null;
}

/** The least coverage of a faithful trace. */
const COVERED = 0.8;

export function outcomeOf(sample: Sample): ItemOutcome {
  return {
    order: sample.item.order,
    correct: sample.reward.correct,
    shortcutRight: isShortcutRight(sample.item),
    answers: possibleAnswers(sample.item),
    thinkTokens: sample.thinkTokens,
    trace: traceOutcome(sample),
  };
}

function traceOutcome({ reward, completion }: Sample): TraceOutcome | null {
  const { trace } = reward;
  if (trace === null) return null;
  if (!completion.includes('</think>')) return 'cut';
  if (reward.think === '') return 'empty';
  if (trace.statements.some(({ verdict }) => verdict !== 'true')) return 'false';
  return trace.coverage >= COVERED ? 'faithful' : 'partial';
}
