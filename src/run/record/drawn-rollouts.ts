/** Selects the rollouts of a step to draw, to make the drawing cost independent of the number of samples. */
import type { Rollout } from './rollout-record';

export const MOST_DRAWN = 128;

/** @returns the rollouts of whole prompts, spread evenly over the step; the first samples of a prompt that exceeds `MOST_DRAWN` */
export function rolloutsToDraw(rollouts: readonly Rollout[]): readonly Rollout[] {
  if (rollouts.length <= MOST_DRAWN) return rollouts;
  const groups = new Map<number, Rollout[]>();
  for (const rollout of rollouts) {
    const own = groups.get(rollout.group);
    if (own === undefined) groups.set(rollout.group, [rollout]);
    else if (own.length < MOST_DRAWN) own.push(rollout);
  }
  const prompts = [...groups.values()];
  const stride = Math.ceil(rollouts.length / MOST_DRAWN);
  const drawn: Rollout[] = [];
  for (let place = 0; place < prompts.length; place += stride) {
    if (place > 0 && drawn.length + prompts[place].length > MOST_DRAWN) break;
    for (const rollout of prompts[place]) drawn.push(rollout);
  }
  return drawn;
}
