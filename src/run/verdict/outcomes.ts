/**
 * Item outcomes of an evaluation, which the verdict compares item by item.
 *
 * A trace has one of five outcomes. `faithful`: all statements are true and cover at least .8 of the facts that the question
 * needs. `partial`: all are true and cover less. `false`: a statement is false or unreadable. `empty`: no statement. `cut`:
 * the think block never closes.
 */
import { isEasy } from '../../tom/item';
import { possibleAnswers } from '../../tom/worlds/item-world';
import type { OutcomeTable } from '../record/evaluation';
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

const letters: Record<TraceOutcome, string> = {
  faithful: 'f',
  partial: 'p',
  false: 'x',
  empty: 'e',
  cut: 'c',
};

/**
 * Compact encoding of item outcomes in reports, with one character per item and column. It keeps 2,000 items per evaluation
 * small in the log, in run files and in checkpoints.
 */
export function toOutcomeTable(outcomes: readonly ItemOutcome[]): OutcomeTable {
  const column = (letter: (outcome: ItemOutcome) => string): string => outcomes.map(letter).join('');
  return {
    order: column(({ order }) => order.toString(36)),
    correct: column(({ correct }) => bit(correct)),
    shortcutRight: column(({ easy }) => (easy === null ? '-' : bit(easy))),
    answers: column(({ answers }) => (answers === null || answers > 35 ? '-' : answers.toString(36))),
    trace: column(({ trace }) => (trace === null ? '-' : letters[trace])),
    thinkTokens: outcomes.map(({ thinkTokens }) => thinkTokens),
  };
}

export function fromOutcomeTable(table: OutcomeTable): ItemOutcome[] {
  const traces = new Map(Object.entries(letters).map(([name, letter]) => [letter, name as TraceOutcome]));
  return table.thinkTokens.map((thinkTokens, index) => ({
    order: parseInt(table.order[index], 36),
    correct: table.correct[index] === '1',
    easy: table.shortcutRight[index] === '-' ? null : table.shortcutRight[index] === '1',
    answers: table.answers[index] === '-' ? null : parseInt(table.answers[index], 36),
    thinkTokens,
    trace: traces.get(table.trace[index]) ?? null,
  }));
}

function bit(value: boolean): string {
  return value ? '1' : '0';
}
