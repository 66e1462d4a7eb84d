/** Chooses the step that best shows a beginner what an update does. */
import type { Rollout } from '../../run/record/rollout-record';
import { byPrompt, isExample, isTelling } from './prompt-groups';
import { movedAs } from './token-figures';

/** A step that the page has chosen as an example. */
export interface ChosenStep {
  why: 'example' | 'telling';
  /** An earlier step at which some completions moved against their advantage; null without one. */
  exception: number | null;
}

/** Maximum number of steps to search. */
const stepsTried = 12;

const wentAstray = ({ advantage, byToken }: Rollout): boolean =>
  byToken !== undefined && movedAs(advantage, byToken) === 'against';

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
  let exception: number | null = null;
  for (const step of steps.slice(0, stepsTried)) {
    const rollouts = await load(step);
    const prompts = byPrompt(rollouts);
    if (prompts.some(isExample)) return { rollouts, chosen: { why: 'example', exception } };
    if (prompts.some(isTelling)) telling ??= rollouts;
    if (rollouts.some(wentAstray)) exception ??= step;
  }
  if (telling !== null) return { rollouts: telling, chosen: { why: 'telling', exception: null } };
  const last = steps.at(-1);
  return { rollouts: last === undefined ? [] : await load(last), chosen: null };
}
