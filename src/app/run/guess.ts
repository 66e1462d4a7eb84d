/** What the visitor guesses of a run on show, and whether its ending may be told yet. */
import { signal } from '@preact/signals';
import type { Guess } from '../page/ladder';
import { judgedEnding } from '../../run/verdict/ending';
import type { Page } from '../page/page';
import { isAtEnd } from '../runs/kept-runs';
import type { RunView } from '../session/run-view';
import { hidesEnding } from '../page/hiding';

/** By the id of a run, or by the preset of a recording: a guess stands until the page is left. */
const made = signal<Readonly<Record<string, Guess>>>({});

const keyOf = ({ id, config }: RunView): string => id ?? config.preset;

export const guessOf = (view: RunView): Guess | undefined => made.value[keyOf(view)];

/** A run that is being prepared has no id yet, and nothing to guess. */
export const canGuess = ({ id, origin }: RunView): boolean => id !== null || origin === 'recording';

export function makeGuess(view: RunView, guess: Guess): void {
  if (canGuess(view)) made.value = { ...made.value, [keyOf(view)]: guess };
}

/** Runs and recordings whose ending the visitor wants without a guess. */
const skipped = signal<ReadonlySet<string>>(new Set());

export const skipGuess = (view: RunView): void => {
  skipped.value = new Set([...skipped.value, keyOf(view)]);
};

/**
 * Whether the ending waits for a guess: that of a recording, or of a run that trained in this tab, until there is a guess or the
 * visitor skips it.
 */
export function awaitsGuess(view: RunView): boolean {
  if (view.origin === 'kept' || guessOf(view) !== undefined || skipped.value.has(keyOf(view))) return false;
  const first = view.evaluations.value.at(0)?.report;
  return first === undefined || first.shortcutWrong.count > 0;
}

/** As on the first screen: only once there is a guess or it was skipped, and never while the verdict is hidden. */
export function tellsEnding(page: Page, view: RunView): boolean {
  if (hidesEnding(page) || awaitsGuess(view)) return false;
  const isOver = judgedEnding(view.evaluations.value) !== null || isAtEnd(view, page.session.runOf(view.id));
  return isOver || guessOf(view) !== undefined;
}
