/** Counterpart of `isShortcutRight` in tom/item.ts for rollouts. */
import type { Rollout } from './rollout-record';

/** True if the shortcut answers the rollout's question wrongly (a hard question); false without a known shortcut. */
export function isShortcutWrong({ shortcutAnswer, goldAnswer }: Rollout): boolean {
  return shortcutAnswer !== null && shortcutAnswer !== goldAnswer;
}
