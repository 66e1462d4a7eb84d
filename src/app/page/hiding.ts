/** What a lesson hides, and names of runs. */
import type { RunConfig } from '../../run/config/config';
import { rungs } from '../../run/recording/recording-file';
import { judgedEnding } from '../../run/verdict/ending';
import type { Page } from './page';
import type { RunView } from '../session/run-view';
import { runWords, runWordsWithoutPreset } from '../words/run-words';

/**
 * True in a lesson until the run on show has an ending. Names of presets are hidden too, since they reveal endings.
 */
export function hidesEnding({ lesson, session }: Pick<Page, 'lesson' | 'session'>): boolean {
  if (!lesson.value) return false;
  const view = session.shown.value;
  if (view === null) return true;
  const evaluations = view.evaluations.value;
  // Without hard questions in its tests, no ending is measured.
  return evaluations.at(0)?.report.shortcutWrong.count !== 0 && judgedEnding(evaluations) === null;
}

/** True until the visitor has guessed the endings of the first screen, or skipped that, for a run that it shows. */
export function awaitsGuess({ ladder }: Pick<Page, 'ladder'>, view: RunView): boolean {
  if (ladder.isGuessed.value) return false;
  if (view.origin === 'recording') return rungs.some(({ preset }) => preset === view.config.preset);
  return [...ladder.live.value.values()].includes(view);
}

/** Name of a run. @param most - limit on the named differences from the preset */
export const shownName = (isEndingHidden: boolean, config: RunConfig, most = 4): string =>
  isEndingHidden ? runWordsWithoutPreset(config, most) : runWords(config, most);
