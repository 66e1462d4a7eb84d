/** Reward, length and advantage of the samples of one step, for the picture of its update. */
import type { Rollout } from '../record/rollout-record';

/** One number per sample in each list, prompt by prompt. */
export interface StepBatch {
  step: number;
  /** Index of the sample's prompt. */
  groups: number[];
  /** Index of the sample within its prompt. Omitted if all samples are present, in their order. */
  samples?: number[];
  rewards: number[];
  /** Length of the completion. */
  tokens: number[];
  /** The trainer's advantage, averaged over the tokens. */
  advantages: number[];
}

/**
 * @param rollouts all of the step
 * @param maskTruncated omits truncated samples, as the update does
 */
export function batchOf(rollouts: readonly Rollout[], maskTruncated: boolean): StepBatch {
  const counted = rollouts.filter(({ finished }) => finished || !maskTruncated);
  return {
    step: rollouts[0]?.step ?? 0,
    groups: counted.map(({ group }) => group),
    samples: counted.map(({ sample }) => sample),
    rewards: counted.map(({ reward }) => reward.total),
    tokens: counted.map(({ tokens }) => tokens),
    advantages: counted.map(({ advantage }) => advantage),
  };
}
