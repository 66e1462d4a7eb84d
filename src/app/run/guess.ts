/** What the visitor guesses of a run on show, and whether its ending may be told yet. */
import { signal } from '@preact/signals';
import type { Guess } from '../page/ladder';
import { judgedEnding } from '../../run/verdict/ending';
import type { Page } from '../page/page';
import { isAtEnd } from '../runs/kept-runs';
import type { RunView } from '../session/run-view';
import { hidesEnding } from '../page/hiding';

/** By the ids of runs: a guess stands until the page is left. */
const made = signal<Readonly<Record<string, Guess>>>({});

export const guessOf = ({ id }: RunView): Guess | undefined => (id === null ? undefined : made.value[id]);

/** Of a run that is being prepared, which has no id yet, nothing is guessed. */
export function makeGuess({ id }: RunView, guess: Guess): void {
  if (id !== null) made.value = { ...made.value, [id]: guess };
}

/** As on the ladder: only once there is a guess or the run is over, and never while the verdict is hidden. */
export function tellsEnding(page: Page, view: RunView): boolean {
  if (hidesEnding(page)) return false;
  const isOver = judgedEnding(view.evaluations.value) !== null || isAtEnd(view, page.session.runOf(view.id));
  return isOver || guessOf(view) !== undefined;
}
