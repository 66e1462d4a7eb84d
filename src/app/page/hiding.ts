/** Whether the ending of runs is hidden, names of runs that do not tell it, and the student of a run. */
import type { RunConfig } from '../../run/config/config';
import { judgedEnding } from '../../run/verdict/ending';
import { nameWithoutPreset, runName } from '../../share/name';
import { guessOf } from './guesses';
import type { Page } from './page';
import { runWords, runWordsWithoutPreset } from '../words/run-words';

/** True in a lesson until the run on show has ended and its ending is guessed. Names of presets tell an ending too. */
export function hidesEnding({ lesson, session }: Page): boolean {
  if (!lesson.value) return false;
  const view = session.shown.value;
  return view === null || guessOf(view) === undefined || judgedEnding(view.evaluations.value) === null;
}

/** @param most - differences from the preset that are named; four where left out */
export function shownName(page: Page, config: RunConfig, most?: number): string {
  return hidesEnding(page) ? nameWithoutPreset(config, most) : runName(config, most);
}

/** The name in words. @param most - differences from the preset that are named; all where left out */
export const plainName = (page: Page, config: RunConfig, most?: number): string =>
  hidesEnding(page) ? runWordsWithoutPreset(config, most) : runWords(config, most);

/**
 * @param id - of a kept run, or of one that was opened from the results of a class
 * @returns the student's seat or name; null where the run is none of a class
 */
export function seatOf({ session, ofClass }: Page, id: string | null): string | null {
  const opened = ofClass.value;
  if (opened !== null && opened.id === id) return opened.student;
  return session.runOf(id)?.class?.seat ?? null;
}
