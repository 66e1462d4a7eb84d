/** What both trace readers share: a trace is a list of judged statements, and two fractions come out of it. */
import type { TraceCheck, TraceStatement } from './types';

export interface JudgedStatement {
  text: string;
  /** Null when the statement could not be read, or only repeats one before. */
  holds: boolean | null;
  /** What it covers of what the question needs; keys of the reader's own. */
  covers: string[];
}

/** @param needed how many keys there are to cover */
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
