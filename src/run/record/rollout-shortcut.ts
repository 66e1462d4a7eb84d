/** Of a rollout what `isShortcutRight` in tom/item.ts says of an item. */
import type { Rollout } from './rollout-record';

/** Whether the shortcut answers the rollout's question wrongly, as it does a hard one; false where no rule is known. */
export function isShortcutWrong({ shortcutAnswer, goldAnswer }: Rollout): boolean {
  return shortcutAnswer !== null && shortcutAnswer !== goldAnswer;
}
