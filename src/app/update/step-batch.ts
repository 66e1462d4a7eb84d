/** What the samples of one step earned, in numbers: what the picture of an update is drawn from. */
import type { Rollout } from '../../rl/events';

/** One number per sample in each list, prompt by prompt. */
export interface StepBatch {
  step: number;
  /** Which prompt it answers. */
  groups: number[];
  rewards: number[];
  /** Length of the completion. */
  tokens: number[];
  /** Mean over its tokens, as the trainer had it. */
  advantages: number[];
}

/** @param rollouts all of the step */
export function batchOf(rollouts: readonly Rollout[]): StepBatch {
  return {
    step: rollouts[0]?.step ?? 0,
    groups: rollouts.map(({ group }) => group),
    rewards: rollouts.map(({ reward }) => reward.total),
    tokens: rollouts.map(({ tokens }) => tokens),
    advantages: rollouts.map(({ advantage }) => advantage),
  };
}
