/**
 * What lies on a teacher's desk: the link that is being prepared, and the runs that were read. It outlives the place "A
 * class", so that a look at one of the runs, or at the settings, loses nothing; it ends with the tab, which asks first.
 */
import { signal } from '@preact/signals';
import type { Sorting } from '../runs/runs-table';
import type { ReadRuns } from './read-runs';

/** Place in `experiments`; one behind them stands for the page's own settings. */
export const chosenExperiment = signal(0);
/** As typed. */
export const seats = signal('25');
/** The lesson switch of the link. */
export const isLesson = signal(true);

export const nothingRead: ReadRuns = { runs: [], refused: [] };
export const results = signal<ReadRuns>(nothingRead);
/** How the table of all runs is sorted. */
export const sorting = signal<Sorting | null>(null);
/** Where the teacher left the table to look at a run: the row, how far below the window's top it stood, and what of the table was in sight. */
export interface Left {
  run: string;
  top: number;
  table: { left: number; top: number };
}
export const left = signal<Left | null>(null);
/** Files that are still to be read. */
export const filesLeft = signal(0);

addEventListener('beforeunload', (event) => {
  if (results.value.runs.length > 0) event.preventDefault();
});
