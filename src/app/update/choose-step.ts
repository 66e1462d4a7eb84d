/** The step by which a beginner sees best what an update does. */
import type { Rollout } from '../../run/record/rollout-record';
import { byPrompt, isExample, isTelling } from './prompt-groups';
import { movedAs } from './token-figures';

/** A step that the page has chosen to begin with. */
export interface ChosenStep {
  why: 'example' | 'telling';
  /** An earlier step at which some completions did not go where they were pushed. */
  exception: number | null;
}

/** So many steps are looked through for one that shows something. */
const stepsTried = 12;

const wentAstray = ({ advantage, byToken }: Rollout): boolean =>
  byToken !== undefined && movedAs(advantage, byToken) === 'against';

/**
 * The samples of the first step that shows the rule without an exception; of the first at which those of one prompt were
 * paid differently, where none of the steps tried does; of the last one, where there is neither.
 *
 * @param steps whose samples are kept
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
