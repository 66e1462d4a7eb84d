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
