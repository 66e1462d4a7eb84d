/** Groups the samples of a step by prompt, and chooses the prompt to show first. */
import type { Rollout } from '../../run/record/rollout-record';
import type { StepBatch } from '../../run/recording/step-batch';

/** Index of a rollout in the lists of the batch; -1 if the batch omits it. */
export function placeIn({ groups, samples }: StepBatch, { group, sample }: Rollout): number {
  const own = groups.flatMap((name, i) => (name === group ? [i] : []));
  return samples === undefined ? (own[sample] ?? -1) : (own.find((i) => samples[i] === sample) ?? -1);
}

/** Samples of each prompt, in the order of the prompts. */
export function byPrompt(rollouts: readonly Rollout[]): Rollout[][] {
  const groups = [...new Set(rollouts.map(({ group }) => group))];
  return groups.map((group) => rollouts.filter((rollout) => rollout.group === group));
}

/** True if the samples of a prompt earned different rewards. Otherwise they show no preference of the reward. */
function isTelling(samples: readonly Rollout[]): boolean {
  return samples.some(({ reward }) => reward.total !== samples[0].reward.total);
}

/**
 * Prompt to show first: one with different rewards, preferably with figures per token. Undefined without rollouts.
 */
export function groupToShow(rollouts: readonly Rollout[]): number | undefined {
  const worth = (samples: readonly Rollout[]): number =>
    2 * Number(isTelling(samples)) + Number(samples.some(({ byToken }) => byToken !== undefined));
  const [best] = byPrompt(rollouts).toSorted((one, other) => worth(other) - worth(one));
  return best?.[0].group;
}
