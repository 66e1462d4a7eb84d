/** Validity and coverage of a trace from its judged statements, for both trace parsers. */
import type { TraceCheck, TraceStatement } from './types';

export interface JudgedStatement {
  text: string;
  /** Null if the statement is unreadable or repeats an earlier one. */
  holds: boolean | null;
  /** Keys of the needed facts that the statement covers if it holds. Each parser defines its keys. */
  covers: string[];
}

/** @param needed number of keys that the question needs */
export function traceCheckOf(judged: readonly JudgedStatement[], needed: number): TraceCheck {
  const statements = judged.map(({ text, holds }): TraceStatement => {
    return { text, verdict: holds === null ? 'unread' : holds ? 'true' : 'false' };
  });
  const read = judged.filter(({ holds }) => holds !== null);
  const right = judged.filter(({ holds }) => holds === true);
  const covered = new Set(right.flatMap(({ covers }) => covers));
  return {
    statements,
    validity: read.length === 0 ? 0 : right.length / read.length,
    coverage: needed === 0 ? 0 : covered.size / needed,
  };
}
