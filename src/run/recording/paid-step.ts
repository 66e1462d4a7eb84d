/** Thinking and reward of every answer of a step: they show why thinking stayed or disappeared. */
import type { Rollout } from '../record/rollout-record';
import { thoughtOf } from './answered-twice';

/** One letter or number for each answer, as recordings contain them. */
export interface PaidStep {
  step: number;
  /** A `Thought` per answer. */
  kinds: string;
  rewards: number[];
  /** `r` for a right answer, else `w`. */
  right: string;
  /** `+` for a positive advantage, else `-`. */
  pushed: string;
}

/** Mean rewards of samples from the untrained model, with an empty thinking block and with thinking already begun. */
export interface StartReward {
  empty: number;
  full: number;
  /** Number of questions of each kind. */
  count: number;
}

/** @param rollouts all of one step */
export function paidStep(step: number, rollouts: readonly Rollout[]): PaidStep {
  return {
    step,
    kinds: rollouts.map(thoughtOf).join(''),
    rewards: rollouts.map(({ reward }) => reward.total),
    right: rollouts.map(({ reward }) => (reward.correct ? 'r' : 'w')).join(''),
    pushed: rollouts.map(({ advantage }) => (advantage > 0 ? '+' : '-')).join(''),
  };
}

/** Number of first steps that are pooled, because a single step is too noisy. */
export const earlySteps = 20;

/**
 * Result H8b of the study (docs/results.md): how many runs stopped thinking, by the reward of thinking before training.
 * The bound was chosen afterwards, within a gap of the data. The fast runs are those of the largest model at three times its learning
 * rate, all above the bound.
 */
export const silence = {
  bound: 0.3,
  below: { runs: 11, silent: 10 },
  above: { runs: 24, silent: 0 },
  fast: { runs: 4, silent: 3 },
} as const;
