/**
 * Item outcomes of an evaluation, which the verdict compares item by item.
 *
 * A trace has one of five outcomes. `faithful`: all statements are true and cover at least .8 of the facts that the question
 * needs. `partial`: all are true and cover less. `false`: a statement is false or unreadable. `empty`: no statement. `cut`:
 * the think block never closes.
 */
import { isEasy } from '../../tom/item';
import { possibleAnswers } from '../../tom/worlds/item-world';
import type { Sample } from '../record/sample';

export type TraceOutcome = 'faithful' | 'partial' | 'false' | 'empty' | 'cut';

export interface ItemOutcome {
  order: number;
  correct: boolean;
  /** True if the shortcut answers the item correctly; null without a shortcut. */
  easy: boolean | null;
  /** Number of possible answers, the inverse of chance; null if unknown. */
  answers: number | null;
  thinkTokens: number;
  /** Null if the item has no simulated world. */
  trace: TraceOutcome | null;
}

/** Minimum coverage of a faithful trace. */
const COVERED = 0.8;

/** Converts a greedy answer into its outcome, the input of `verdictOf`. */
export function outcomeOf(sample: Sample): ItemOutcome {
  return {
    order: sample.item.order,
    correct: sample.reward.correct,
    easy: isEasy(sample.item),
    answers: possibleAnswers(sample.item),
    thinkTokens: sample.thinkTokens,
    trace: traceOutcome(sample),
  };
}

function traceOutcome({ reward: { trace }, completion }: Sample): TraceOutcome | null {
  if (trace === null) return null;
  if (!completion.includes('</think>')) return 'cut';
  if (trace.statements.length === 0) return 'empty';
  if (trace.statements.some(({ verdict }) => verdict !== 'true')) return 'false';
  return trace.coverage >= COVERED ? 'faithful' : 'partial';
}
