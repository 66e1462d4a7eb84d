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
