/** Prompts of a step with their samples, and the prompt to show first. */
import type { Rollout } from '../../run/record/rollout-record';
import type { StepBatch } from '../../run/recording/step-batch';
import { movedAs } from './token-figures';

/** Index of a rollout in the lists; -1 where it takes no part. */
export function placeIn({ groups, samples }: StepBatch, { group, sample }: Rollout): number {
  const own = groups.flatMap((name, i) => (name === group ? [i] : []));
  return samples === undefined ? (own[sample] ?? -1) : (own.find((i) => samples[i] === sample) ?? -1);
}

/** The samples of each prompt, in the order of the prompts. */
export function byPrompt(rollouts: readonly Rollout[]): Rollout[][] {
  const groups = [...new Set(rollouts.map(({ group }) => group))];
  return groups.map((group) => rollouts.filter((rollout) => rollout.group === group));
}

/** Whether the samples of a prompt were paid differently: else nothing is seen of what the reward prefers. */
export function isTelling(samples: readonly Rollout[]): boolean {
  return samples.some(({ reward }) => reward.total !== samples[0].reward.total);
}

/** Whether a prompt shows the rule: of its samples some were pushed up and some down, and each went where it was pushed. */
export function isExample(samples: readonly Rollout[]): boolean {
  const sides = new Set(samples.map(({ advantage }) => Math.sign(advantage)));
  const ways = samples.map(({ advantage, byToken }) => byToken && movedAs(advantage, byToken));
  return (
    sides.size > 1 && ways.every((way) => way !== undefined && way !== 'against') && ways.includes('along')
  );
}

/** The prompt to begin with: one that shows the rule, else one that was paid differently, token by token; undefined without any. */
export function groupToShow(rollouts: readonly Rollout[]): number | undefined {
  const worth = (samples: readonly Rollout[]): number =>
    4 * Number(isExample(samples)) +
    2 * Number(isTelling(samples)) +
    Number(samples.some(({ byToken }) => byToken !== undefined));
  const [best] = byPrompt(rollouts).toSorted((one, other) => worth(other) - worth(one));
  return best?.[0].group;
}
