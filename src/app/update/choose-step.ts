/** Chooses the step that best shows a beginner what an update does. */
import type { Rollout } from '../../run/record/rollout-record';
import { byPrompt, isExample } from './prompt-groups';

/** Maximum number of steps to search. */
const stepsTried = 12;

/**
 * Samples of the first step that shows the rule, or else of the last step.
 *
 * @param steps - steps with stored samples
 */
export async function chooseStep(
  steps: readonly number[],
  load: (step: number) => Promise<readonly Rollout[]>,
): Promise<{ rollouts: readonly Rollout[]; isChosen: boolean }> {
  for (const step of steps.slice(0, stepsTried)) {
    const rollouts = await load(step);
    if (byPrompt(rollouts).some(isExample)) return { rollouts, isChosen: true };
  }
  const last = steps.at(-1);
  return { rollouts: last === undefined ? [] : await load(last), isChosen: false };
}
