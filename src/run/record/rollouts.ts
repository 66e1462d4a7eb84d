/** Selections of rollouts: those of a step to draw, those that a record holds, and hard ones. */
import { MOST_STEP } from './record-limits';
import type { Rollout } from './rollout-record';

/** Most rollouts of a step that a page draws, so that its cost does not depend on the number of samples. */
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

/** Characters of a number in JSON, and of one that is not finite as run files write it. */
const LONGEST_NUMBER = 25;

/**
 * The rollouts of a step that its record can hold: those of the first prompts, whole.
 *
 * @param most - in characters of JSON
 */
export function recordedRollouts<One extends { group: number }>(
  rollouts: readonly One[],
  most: number = MOST_STEP,
): One[] {
  let size = 0;
  let whole = 0;
  for (const [index, rollout] of rollouts.entries()) {
    size += longestJson(rollout);
    if (size > most) return rollouts.slice(0, whole);
    if (rollouts[index + 1]?.group !== rollout.group) whole = index + 1;
  }
  return [...rollouts];
}

/** Upper bound on the characters of a value in JSON, which escapes a character with up to six. */
function longestJson(value: unknown): number {
  if (typeof value === 'string') return 2 + JSON.stringify(value).length;
  if (typeof value !== 'object' || value === null) return LONGEST_NUMBER;
  return Object.entries(value).reduce((sum, [name, part]) => sum + name.length + 4 + longestJson(part), 4);
}

/** Counterpart of `isHard` in tom/item.ts: true for a hard question, which the shortcut answers wrongly; false without a known shortcut. */
export function isHardRollout({ shortcutAnswer, goldAnswer }: Rollout): boolean {
  return shortcutAnswer !== null && shortcutAnswer !== goldAnswer;
}
