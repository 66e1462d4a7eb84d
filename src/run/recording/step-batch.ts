/** Reward, length and advantage of the samples of one step, for the picture of its update. */
import type { RunConfig } from '../config/config';
import type { StepRecord } from '../record/events';
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
