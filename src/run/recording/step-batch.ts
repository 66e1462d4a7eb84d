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
}

/**
 * Tells whether the update of a step trains on a rollout. Truncated ones may be masked, and the last groups only fill
 * the batch if dynamic sampling could not replace them (`padded_prompts`).
 */
export function trainsOn(
  { rollout, algorithm }: Pick<RunConfig, 'rollout' | 'algorithm'>,
  record: StepRecord | null,
): (one: Rollout) => boolean {
  const padded = record?.padded_prompts ?? 0;
  const groups = padded > 0 ? rollout.promptsPerStep - padded : Infinity;
  return ({ finished, group }) => group < groups && (finished || !algorithm.maskTruncated);
}

/**
 * @param rollouts all of the step
 * @param isCounted selects those of the batch; default all
 */
export function batchOf(
  rollouts: readonly Rollout[],
  isCounted: (one: Rollout) => boolean = () => true,
): StepBatch {
  const counted = rollouts.filter(isCounted);
  return {
    step: rollouts[0]?.step ?? 0,
    groups: counted.map(({ group }) => group),
    samples: counted.map(({ sample }) => sample),
    rewards: counted.map(({ reward }) => reward.total),
    tokens: counted.map(({ tokens }) => tokens),
    advantages: counted.map(({ advantage }) => advantage),
  };
}
