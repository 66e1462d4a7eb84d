/** Result of a reward preset: the total, its parts and a reason for each part. */

export interface RewardPart {
  name: string;
  value: number;
  /** Reason for the value in a few words, shown on the page. */
  reason: string;
}

/** A statement of a trace, checked against the simulated world. */
export interface TraceStatement {
  text: string;
  verdict: 'true' | 'false' | 'unread';
}

export interface TraceCheck {
  statements: TraceStatement[];
  /** True statements / (true and false statements); 0 for none. */
  validity: number;
  /** Fraction of the facts needed for the question that true statements cover. */
  coverage: number;
}

export interface RewardParts {
  /** Reward for training, the sum of the parts. */
  total: number;
  parts: RewardPart[];
  /** Strict correctness: right by the data set's rule, or without one equal to the gold answer after normalising. */
  correct: boolean;
  formatHolds: boolean;
  /** Text of the last answer tag, or null without one. */
  answer: string | null;
  /** Text between `<think>` (in the prompt) and `</think>`; the whole completion without `</think>`. */
  think: string;
  /** Null if the item has no simulated world. */
  trace: TraceCheck | null;
}

export type RewardPreset = 'tom-rl' | 'rlvr-tom' | 'logic-rl' | 'faithful' | 'answer-only';

export interface RewardConfig {
  preset: RewardPreset;
  /** Name of the function whose number replaces the preset's total (`custom.ts`). */
  custom?: string;
  /** Fewer words of reasoning lose up to 1, in proportion to the missing words. */
  minimumThinkWords?: number;
  /** Reasoning loses up to 1, in proportion to the distance of its word count from this target. */
  targetThinkWords?: number;
}

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
