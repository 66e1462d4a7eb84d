/** Chooses the step that best shows a beginner what an update does. */
import type { Rollout } from '../../run/record/rollout-record';
import { byPrompt, isExample, isTelling } from './prompt-groups';

/** Why the page has chosen a step as an example. */
export type ChosenStep = 'example' | 'telling';

/** Maximum number of steps to search. */
const stepsTried = 12;

/**
 * Samples of the first step that shows the rule. Falls back to the first step with different rewards within a prompt, and
 * then to the last step.
 *
 * @param steps - steps with stored samples
 */
export async function chooseStep(
  steps: readonly number[],
  load: (step: number) => Promise<readonly Rollout[]>,
): Promise<{ rollouts: readonly Rollout[]; chosen: ChosenStep | null }> {
  let telling: readonly Rollout[] | null = null;
  for (const step of steps.slice(0, stepsTried)) {
    const rollouts = await load(step);
    const prompts = byPrompt(rollouts);
    if (prompts.some(isExample)) return { rollouts, chosen: 'example' };
    if (prompts.some(isTelling)) telling ??= rollouts;
  }
  if (telling !== null) return { rollouts: telling, chosen: 'telling' };
  const last = steps.at(-1);
  return { rollouts: last === undefined ? [] : await load(last), chosen: null };
}
