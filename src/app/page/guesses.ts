/** Guesses of the visitor on how runs end. */
import { signal } from '@preact/signals';
import type { Guess } from './ladder';
import type { RunView } from '../session/run-view';

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
