/** Limits on the records of a whole run, which writers and readers share. */

/** In characters, on names and ids. */
export const MOST_NAME = 1000;
/** In characters of JSON, on the steps, evaluations and alerts, which are in memory together. */
export const MOST_HISTORY = 512 * 2 ** 20;
/** In characters of JSON, on the rollouts of one step, which a browser stores as one value. */
export const MOST_STEP = 256 * 2 ** 20;

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
