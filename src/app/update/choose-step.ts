/** Chooses the step that best shows a beginner what an update does. */
import type { Rollout } from '../../run/record/rollout-record';
import { byPrompt, isExample, isTelling } from './prompt-groups';

/** Maximum number of steps to search. */
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
