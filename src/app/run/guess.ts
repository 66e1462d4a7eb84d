/** True if the ending of a run on show may be told. */
import { judgedEnding } from '../../run/verdict/ending';
import { awaitsGuess, guessOf } from '../page/hiding';
import { hidesEnding } from '../page/hiding';
import type { Page } from '../page/page';
import { isAtEnd } from '../runs/kept-runs';
import type { RunView } from '../session/run-view';

/** As on the first screen: only once there is a guess or it was skipped, and never while the verdict is hidden. */
export function tellsEnding(page: Page, view: RunView): boolean {
  if (hidesEnding(page) || awaitsGuess(view)) return false;
  const isOver = judgedEnding(view.evaluations.value) !== null || isAtEnd(view, page.session.runOf(view.id));
  return isOver || guessOf(view) !== undefined;
}
