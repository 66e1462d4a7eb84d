/**
 * Steps of a long run as a page holds them. A run of more than `MOST_HELD` steps keeps every second, fourth or eighth step
 * and so on, with a memory that is independent of its length. The storage keeps all steps.
 */
import { putAtStep } from './history';

/** Most steps that a page holds. A chart is narrower. */
export const MOST_HELD = 4096;
/** First steps, which a page always holds. */
export const FIRST_STEPS = 32;

/** True if a page holds this step of a run with this last step. */
function isHeld(step: number, last: number): boolean {
  const stride = 2 ** Math.ceil(Math.log2(Math.max(1, last / MOST_HELD)));
  return step <= FIRST_STEPS || step === last || step % stride === 0;
}

/** @param list - in step order */
export function thinned<T>(list: readonly T[], stepOf: (entry: T) => number): T[] {
  if (list.length <= MOST_HELD) return [...list];
  const last = stepOf(list[list.length - 1]);
  return list.filter((entry) => isHeld(stepOf(entry), last));
}

/** Appends an entry like `putAtStep`, and removes the entries that the list no longer holds. */
export function putThinned<T>(list: T[], entry: T, stepOf: (entry: T) => number): void {
  putAtStep(list, entry, stepOf);
  const before = list.at(-2);
  if (before !== undefined && !isHeld(stepOf(before), stepOf(entry))) list.splice(-2, 1);
  if (list.length > MOST_HELD) list.splice(0, list.length, ...thinned(list, stepOf));
}
