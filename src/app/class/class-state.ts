/**
 * State of a teacher's page: the link in preparation and the runs that were read. It persists while the teacher visits
 * other places. Closing the tab discards it, after a warning.
 */
import { signal } from '@preact/signals';
import type { Sorting } from '../runs/runs-table';
import type { ReadRuns } from './read-runs';

/** Index into `experiments`; the index after the last one selects the settings of the form. */
export const chosenExperiment = signal(0);
/** As typed. */
export const seats = signal('25');
/** The lesson switch of the link. */
export const isLesson = signal(true);

export const nothingRead: ReadRuns = { runs: [], refused: [] };
export const results = signal<ReadRuns>(nothingRead);
/** False while the class guesses: the page then shows guesses and progress only. */
export const showsEndings = signal(false);
/** Sorting of the table of all runs. */
export const sorting = signal<Sorting | null>(null);
/** Table position when the teacher opened a run: the row, its distance from the window's top, and scroll offsets. */
export interface Left {
  run: string;
  top: number;
  table: { left: number; top: number };
}
export const left = signal<Left | null>(null);
/** Number of files still to be read. */
export const filesLeft = signal(0);

addEventListener('beforeunload', (event) => {
  if (results.value.runs.length > 0) event.preventDefault();
});
