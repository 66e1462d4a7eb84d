/** Recorded runs of the first screen: of the ladder's presets and of a real model. `scripts/record` writes them. */
import type { RunConfig } from '../config/config';
import type { Evaluation } from '../record/evaluation';
import type { StepRecord } from '../record/events';
import type { Rollout } from '../record/rollout-record';
import type { PaidStep, StepBatch } from './step-batch';

/** The presets of the ladder, from the smallest model to the largest. */
export const rungs = [
  { preset: 'ladder-12k', name: 'small' },
  { preset: 'ladder-25k', name: 'middle' },
  { preset: 'ladder-398k', name: 'large' },
] as const;

export type Rung = (typeof rungs)[number];

/** Hard question of the tests of all three models, which the first screen draws. Most answers to hard questions end as its do. */
export const drawnItem = 'swap-7-2147483685';

/** A file of `public/recordings`. */
export interface Recording {
  version: 3;
  config: RunConfig;
  records: StepRecord[];
  evals: Evaluation[];
  rollouts: Rollout[];
  /** Reward of every sample, for the steps with rollouts. */
  batches: StepBatch[];
  /** Thinking and reward of every answer, for the steps with rollouts and all early steps. */
  paid: PaidStep[];
}

/** Metrics of the large charts. */
export const mainMetrics = {
  reward: 'reward',
  thinking: 'think/mean_length',
  statements: 'trace/validity',
} as const;

/** Metrics of a step that a recording contains: those that the page draws, and the time of the step. */
export const recordedMetrics = [
  ...Object.values(mainMetrics),
  'completions/mean_length',
  'entropy',
  'kl',
  'completions/clipped_ratio',
  'frac_reward_zero_std',
  'grad_norm',
  'tokens_per_second/rollout',
  'step_time',
] as const;

/** Preset and seed of the recorded run of a real model. */
export const realRun = { preset: 'first-run-135m', seed: 3 } as const;

interface ShownAnswer {
  thinks: string;
  answers: string | null;
  correct: boolean;
}

/** Content of `public/recordings/first-run-135m.json`, written by `scripts/record/first-run.ts`. */
export interface RealRun {
  version: 1;
  preset: string;
  seed: RunConfig['seed'];
  steps: number;
  /** Means of each step in practice; `thinking` in tokens. */
  practice: { step: number; reward: number; thinking: number }[];
  /** Greedy evaluations. */
  tests: { step: number; thinking: number; accuracy: number }[];
  /** One hard question of the test, answered by the first and by the last evaluation. */
  example: { question: string; before: ShownAnswer; after: ShownAnswer };
}
