/** The visitor's guesses of endings, and the information that stays hidden until a guess. */
import { computed, type ReadonlySignal } from '@preact/signals';
import type { RunConfig } from '../../run/config/config';
import { judgedEnding } from '../../run/verdict/ending';
import type { Guess } from '../../run/verdict/guess';
import type { Page } from './page';
import type { RunView } from '../session/run-view';
import type { Session } from '../session/session';
import { runWords, runWordsWithoutPreset } from '../words/run-words';

/** False for a run in preparation, which has no id yet. */
export const canGuess = ({ id, origin }: RunView): boolean => id !== null || origin === 'recording';

/** Stores the guess with the run. A recording keeps it until another one is shown. */
export function makeGuess(session: Pick<Session, 'annotate'>, view: RunView, guess: Guess): void {
  view.guess.value = guess;
  if (view.id !== null) void session.annotate(view.id, { guess });
}

/** False for a run whose tests ask no hard questions, without which no ending is measured. */
export function mayHaveEnding({ evaluations }: RunView): boolean {
  const first = evaluations.value.at(0)?.report;
  return first === undefined || first.shortcutWrong.count > 0;
}

/**
 * True if the ending waits for a guess. Recordings and runs that trained in this tab wait until the visitor guesses or
 * skips. Kept runs and runs without hard questions never wait.
 */
export function awaitsGuess(view: RunView): boolean {
  if (view.origin === 'kept' || view.guess.value !== undefined || view.isGuessSkipped.value) return false;
  return mayHaveEnding(view);
}

/**
 * True in a lesson until the run on show has an ending and a guess. Names of presets are hidden too, since they reveal
 * endings.
 */
export function hidesEnding({ lesson, session }: Pick<Page, 'lesson' | 'session'>): boolean {
  if (!lesson.value) return false;
  const view = session.shown.value;
  if (view === null) return true;
  const isJudged = judgedEnding(view.evaluations.value) !== null;
  return mayHaveEnding(view) && (view.guess.value === undefined || !isJudged);
}

/** Fraction of a run that a lesson shows before the guess. */
const SHOWN_BEFORE_GUESS = 1 / 6;

export const lastStepBeforeGuess = ({ config }: RunView): number =>
  Math.ceil(SHOWN_BEFORE_GUESS * config.steps);

/** In a lesson the first steps of a run until its ending is guessed, otherwise the run. */
export function beforeGuess({ lesson }: Pick<Page, 'lesson'>, view: RunView): RunView {
  if (!lesson.value || view.guess.value !== undefined || !mayHaveEnding(view)) return view;
  const last = lastStepBeforeGuess(view);
  const upTo = <T>(list: ReadonlySignal<Iterable<T>>, stepOf: (one: T) => number) =>
    computed((): readonly T[] => [...list.value].filter((one) => stepOf(one) <= last));
  return {
    ...view,
    records: upTo(view.records, ({ step }) => step),
    evaluations: upTo(view.evaluations, ({ report }) => report.step),
    alerts: upTo(view.alerts, ({ step }) => step),
    rolloutSteps: upTo(view.rolloutSteps, (step) => step),
    latestRollouts: upTo(view.latestRollouts, ({ step }) => step),
  };
}

const usualChanges = 4;

/** Name of a run. @param most - limit on the named differences from the preset */
export const shownName = (isEndingHidden: boolean, config: RunConfig, most = usualChanges): string =>
  isEndingHidden ? runWordsWithoutPreset(config, most) : runWords(config, most);

/**
 * @param id - of a kept run, or of a run opened from the results of a class
 * @returns the student's seat; null for a run outside a class
 */
export function seatOf(
  { session, ofClass }: Pick<Page, 'session' | 'ofClass'>,
  id: string | null,
): string | null {
  const opened = ofClass.value;
  if (opened !== null && opened.id === id) return opened.student;
  return session.runOf(id)?.class?.seat ?? null;
}
