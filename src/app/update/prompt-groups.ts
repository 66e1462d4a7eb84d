/** Groups the samples of a step by prompt, and chooses the prompt and the step to show first. */
import type { Rollout } from '../../run/record/rollout-record';
import type { StepBatch } from '../../run/recording/step-batch';
import { movedAs } from './token-figures';

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

/** True if a prompt illustrates the update: it has advantages of both signs, and no sample moved against its advantage. */
function isExample(samples: readonly Rollout[]): boolean {
  const sides = new Set(samples.map(({ advantage }) => Math.sign(advantage)));
  const ways = samples.map(({ advantage, byToken }) => byToken && movedAs(advantage, byToken));
  return (
    sides.size > 1 && ways.every((way) => way !== undefined && way !== 'against') && ways.includes('along')
  );
}

/**
 * Prompt to show first: one that shows the rule, or else one with different rewards, preferably with figures per token.
 * Undefined without rollouts.
 */
export function groupToShow(rollouts: readonly Rollout[]): number | undefined {
  const worth = (samples: readonly Rollout[]): number =>
    4 * Number(isExample(samples)) +
    2 * Number(isTelling(samples)) +
    Number(samples.some(({ byToken }) => byToken !== undefined));
  const [best] = byPrompt(rollouts).toSorted((one, other) => worth(other) - worth(one));
  return best?.[0].group;
}

const stepsTried = 12;

const shows = {
  rule: 'here every sample of a prompt moved as its advantage points, or hardly at all',
  rewards: 'here samples of one prompt earned different rewards',
};

/**
 * Samples of the first step that shows the rule, or else of the first one with different rewards for a prompt, or else of
 * the last step. Only runs of the page store the changes of tokens, which show the rule.
 *
 * @param steps - steps with stored samples
 * @returns `reason`: what the step shows; null for the last step
 */
export async function chooseStep(
  steps: readonly number[],
  load: (step: number) => Promise<readonly Rollout[]>,
): Promise<{ rollouts: readonly Rollout[]; reason: string | null }> {
  let telling: readonly Rollout[] | null = null;
  for (const step of steps.slice(0, stepsTried)) {
    const rollouts = await load(step);
    const prompts = byPrompt(rollouts);
    if (prompts.some(isExample)) return { rollouts, reason: shows.rule };
    if (prompts.some(isTelling)) telling ??= rollouts;
  }
  if (telling !== null) return { rollouts: telling, reason: shows.rewards };
  const last = steps.at(-1);
  return { rollouts: last === undefined ? [] : await load(last), reason: null };
}
