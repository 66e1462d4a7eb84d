/** Decides whether the ending of a shown run may be revealed. */
import { judgedEnding } from '../../run/verdict/ending';
import { awaitsGuess, hidesEnding } from '../page/hiding';
import type { Page } from '../page/page';
import { isAtEnd } from '../runs/kept-runs';
import type { RunView } from '../session/run-view';

/** True once the visitor has guessed, or once the run is over and no guess is awaited; false while endings are hidden. */
export function tellsEnding(page: Pick<Page, 'lesson' | 'session'>, view: RunView): boolean {
  if (hidesEnding(page) || awaitsGuess(view)) return false;
  const isOver = judgedEnding(view.evaluations.value) !== null || isAtEnd(view, page.session.runOf(view.id));
  return isOver || view.guess.value !== undefined;
}
