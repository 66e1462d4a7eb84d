/** Recorded runs of the ladder's presets. The page replays them, and `scripts/record/record.ts` writes them. */
import type { RunConfig } from '../config/config';
import type { Evaluation } from '../record/evaluation';
import type { StepRecord } from '../record/events';
import type { Rollout } from '../record/rollout-record';
import type { PaidStep } from './paid-step';
import type { StepBatch } from './step-batch';

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
