/** What a lesson hides, and names of runs. */
import type { RunConfig } from '../../run/config/config';
import { rungs } from '../../run/recording/recording-file';
import { judgedEnding } from '../../run/verdict/ending';
import type { Page } from './page';
import type { RunView } from '../session/run-view';
import { runWords, runWordsWithoutPreset } from '../words/run-words';

/** False for a run whose tests ask no hard questions, without which no ending is measured. */
function mayHaveEnding({ evaluations }: RunView): boolean {
  const first = evaluations.value.at(0)?.report;
  return first === undefined || first.shortcutWrong.count > 0;
}

/**
 * True in a lesson until the run on show has an ending. Names of presets are hidden too, since they reveal endings.
 */
export function hidesEnding({ lesson, session }: Pick<Page, 'lesson' | 'session'>): boolean {
  if (!lesson.value) return false;
  const view = session.shown.value;
  if (view === null) return true;
  return mayHaveEnding(view) && judgedEnding(view.evaluations.value) === null;
}

/** True until the visitor has guessed the endings of the first screen, or skipped that, for a run that it shows. */
export function awaitsGuess({ ladder }: Pick<Page, 'ladder'>, view: RunView): boolean {
  if (ladder.isGuessed.value) return false;
  if (view.origin === 'recording') return rungs.some(({ preset }) => preset === view.config.preset);
  return [...ladder.live.value.values()].some((live) => live.view === view);
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
