/**
 * Compact encoding of item outcomes in reports, with one character per item and column. It keeps 2,000 items per evaluation
 * small in the log, in run files and in checkpoints. An item has the same index in every column.
 */
import type { OutcomeTable } from '../record/evaluation';
import type { ItemOutcome, TraceOutcome } from './outcomes';

const letters: Record<TraceOutcome, string> = {
  faithful: 'f',
  partial: 'p',
  false: 'x',
  empty: 'e',
  cut: 'c',
};

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
