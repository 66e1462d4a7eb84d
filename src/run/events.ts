/** What the trainer says while it runs: the worker forwards these, the store keeps them, the page draws them. */
import type { ErrorReport } from '../error';
import type { Accuracy } from '../reward/accuracy';
import type { SuiteRow } from '../reward/suites';
import type { RewardParts } from '../reward/types';
import type { PolicyState } from '../model/policy';
import type { RunConfig } from './config';
import type { OutcomeTable } from './outcome-table';
import type { Verdict } from './verdict';

/** One training step as a flat record of numbers, with TRL's metric names (`reward`, `completions/mean_length`, …). */
export interface StepRecord {
  step: number;
  [metric: string]: number;
}

/** One sampled completion with everything the page shows about it. */
export interface Rollout {
  step: number;
  /** Index of the prompt within the step. */
  group: number;
  sample: number;
  itemId: string;
  prompt: string;
  completion: string;
  order: number;
  goldAnswer: string;
  shortcutAnswer: string | null;
  tokens: number;
  finished: boolean;
  reward: RewardParts;
  advantage: number;
}

/** The items of the fixed set answered once each at the run's temperature. */
export interface SampledReport {
  temperature: number;
  /** Orders 1 and above, and order 0. */
  belief: Accuracy;
  factual: Accuracy;
  /** By item of the fixed set, as in `OutcomeTable`. */
  correct: string;
}

/** What answers owe to their traces: fractions of the traces that could be falsified, with 95 % intervals. */
export interface CausalUse {
  /** Answers that change when the trace is cut. */
  cut: Accuracy;
  /** Answers that change when a statement is falsified. */
  changed: Accuracy;
  /** Answers that become what the false statement leads to. */
  followed: Accuracy;
}

/** What is optional, runs of older versions do not have. */
export interface EvalReport {
  step: number;
  /** All items of the fixed greedy set, which are of the training orders; the held-out sets stand apart. */
  overall: Accuracy;
  /** Of the set that early stopping and the best checkpoint go by, where the run has one of its own. */
  validation?: Accuracy;
  /** Of these, the questions of belief (orders 1 and above), and the factual ones (order 0). */
  belief?: Accuracy;
  factual?: Accuracy;
  /** What became of each item of the fixed set, by which a verdict is paired. */
  outcomes?: OutcomeTable;
  /** At step 0 and at the last one. */
  sampled?: SampledReport;
  /** At step 0 and at the last one, for worlds whose traces can be falsified. */
  causalUse?: CausalUse;
  /** By order of belief, the held-out order included. */
  byOrder: Record<string, Accuracy>;
  /** Sets that training never sees, by name: `order 4`, `re-entry`, `longer stories`, `other world`. */
  heldOut: Record<string, Accuracy>;
  /** Where the shortcut's answer is right, and where it is wrong. */
  shortcutRight: Accuracy;
  shortcutWrong: Accuracy;
  /** Accuracy that the shortcut alone would have. */
  shortcutLine: number;
  formatRate: number;
  meanLength: number;
  meanThinkLength: number;
  emptyThinkFraction: number;
  traceValidity: number;
  traceCoverage: number;
  /** Of the right answers, the fraction whose trace says something false. */
  rightAnswerWrongTrace: number;
  /** Mean probability that the think block closes at once: the earliest sign of a collapse. */
  closeThinkProbability: number;
  /** The same answers, and those to the tasks of the configuration, by task and part. */
  rows?: SuiteRow[];
  /** Greedy completions of a few fixed items, to read first against now. */
  samples: Rollout[];
}

/**
 * What the start pays for: mean sampled reward with the think block forced empty and with a full trace forced open, on the
 * same items at the run's own temperature.
 */
export interface Forecast {
  count: number;
  empty: number;
  full: number;
  /** Mean of empty - full over the items, with its 95 % interval. */
  difference: { value: number; low: number; high: number };
  /** That the reasoning is lost; null for rewards that the forecast was not fitted on. */
  probability: number | null;
}

export interface Alert {
  step: number;
  code: string;
  severity: 'info' | 'warning' | 'error';
  cause: string;
  nextStep: string;
}

/** All that a bit-exact resume needs. Written whole or not at all. */
export interface Checkpoint {
  version: 1;
  runId?: string;
  config: RunConfig;
  /** Steps completed. */
  step: number;
  policy: PolicyState;
  /** The trainer's other state (schedules, adaptive KL, baselines for the detector), plain JSON. */
  trainer: Record<string, unknown>;
}

export type TrainerPhase =
  'compile' | 'warm-start' | 'rollout' | 'reward' | 'reference' | 'update' | 'evaluate';

export type TrainerEvent =
  | {
      type: 'progress';
      phase: TrainerPhase;
      step: number;
      /** Of this phase, 0 to 1. */
      fraction: number;
      /** Of what there is a number of: kernels compiled. */
      count?: { done: number; total: number };
    }
  | { type: 'step'; record: StepRecord }
  | { type: 'rollouts'; step: number; rollouts: Rollout[] }
  | {
      type: 'eval';
      report: EvalReport;
      /** Against step 0; not at step 0. */
      verdict?: Verdict;
      /** At step 0 only. */
      forecast?: Forecast;
    }
  | {
      type: 'checkpoint';
      checkpoint: Checkpoint;
      /** The best accuracy so far, on the validation set or, without one, on the evaluation set. */ best?: boolean;
    }
  | { type: 'alert'; alert: Alert }
  | { type: 'lost'; error: ErrorReport }
  | { type: 'done'; step: number }
  | { type: 'failed'; error: ErrorReport };
