/** Counterpart of `isHard` in tom/item.ts for rollouts. */
import type { Rollout } from '../record/rollout-record';

/** True for a hard question, which the shortcut answers wrongly; false without a known shortcut. */
export function isHardRollout({ shortcutAnswer, goldAnswer }: Rollout): boolean {
  return shortcutAnswer !== null && shortcutAnswer !== goldAnswer;
}
