/** The samples of one step as numbers: for the picture of its update, and to show why thinking stayed or disappeared. */
import type { RunConfig } from '../config/config';
import type { StepRecord } from '../record/events';
import type { Rollout } from '../record/rollout-record';
import { thoughtOf } from './answered-twice';

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
  /** Truncated samples, which the update masks. Their rewards count in the mean and the spread of their prompt. */
  masked?: Pick<StepBatch, 'groups' | 'rewards'>;
}

/**
 * Omits the groups that only fill the batch, since dynamic sampling could not replace them (`padded_prompts`). Keeps truncated
 * samples apart if the run masks them.
 *
 * @param rollouts all of the step
 * @param config of the run; without it every sample is in the batch
 */
export function batchOf(
  rollouts: readonly Rollout[],
  config?: Pick<RunConfig, 'rollout' | 'algorithm'>,
  record: StepRecord | null = null,
): StepBatch {
  const padded = record?.padded_prompts ?? 0;
  const groups = config && padded > 0 ? config.rollout.promptsPerStep - padded : Infinity;
  const counted = rollouts.filter(({ group }) => group < groups);
  const isMasked = ({ finished }: Rollout): boolean => config?.algorithm.maskTruncated === true && !finished;
  const trained = counted.filter((one) => !isMasked(one));
  const masked = counted.filter(isMasked);
  return {
    step: rollouts[0]?.step ?? 0,
    ...groupsAndRewards(trained),
    samples: trained.map(({ sample }) => sample),
    tokens: trained.map(({ tokens }) => tokens),
    advantages: trained.map(({ advantage }) => advantage),
    ...(masked.length > 0 && { masked: groupsAndRewards(masked) }),
  };
}

const groupsAndRewards = (rollouts: readonly Rollout[]): Pick<StepBatch, 'groups' | 'rewards'> => ({
  groups: rollouts.map(({ group }) => group),
  rewards: rollouts.map(({ reward }) => reward.total),
});

/** Thinking and reward of every answer of a step: one letter or number for each. */
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
