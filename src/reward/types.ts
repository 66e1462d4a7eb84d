/** What every reward preset returns: the number that trains, its parts, and the reason for each. */

export interface RewardPart {
  name: string;
  value: number;
  /** Why this value, in a few words that the page shows. */
  reason: string;
}

/** A statement of a trace held against the simulated world. */
export interface TraceStatement {
  text: string;
  verdict: 'true' | 'false' | 'unread';
}

export interface TraceCheck {
  statements: TraceStatement[];
  /** True statements / statements read; 0 when there are none. */
  validity: number;
  /** True statements that the question needs / statements that it needs. */
  coverage: number;
}

export interface RewardParts {
  /** What REINFORCE++ sees. */
  total: number;
  parts: RewardPart[];
  /** Strict: equal to the gold answer after normalising, or right by the data set's own rule. */
  correct: boolean;
  formatHolds: boolean;
  /** The text of the last answer tag, or null when none can be read. */
  answer: string | null;
  /** Text between `<think>` (given in the prompt) and `</think>`; all of it when the tag never closes. */
  think: string;
  /** Null where the item has no simulated world. */
  trace: TraceCheck | null;
}

export type RewardPreset = 'tom-rl' | 'rlvr-tom' | 'logic-rl' | 'faithful' | 'answer-only';

export interface RewardConfig {
  preset: RewardPreset;
  /** Name of the function whose number replaces the preset's total (`custom.ts`). */
  custom?: string;
  /** Reasoning of fewer words loses up to 1. */
  minimumThinkWords?: number;
  /** Reasoning loses up to 1 the further it is from so many words. */
  targetThinkWords?: number;
}
