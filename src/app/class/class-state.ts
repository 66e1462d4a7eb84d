/**
 * State of a teacher's page: the link in preparation and the runs that were read. It persists while the teacher visits
 * other places. A reload keeps the runs (`kept-class.ts`) and the number of seats.
 */
import { signal } from '@preact/signals';
import { browserStorage } from '../page/browser-storage';
import type { ReadRuns } from './read-runs';

/** Index into `experiments`; the index after the last one selects the settings of the form. */
export const chosenExperiment = signal(0);
const storage = browserStorage();
const seatsKey = 'marble-class-seats';
export const seats = signal(storage.read(seatsKey) ?? '25');
seats.subscribe((typed) => storage.keep(seatsKey, typed));
export const isLesson = signal(true);

export const nothingRead: ReadRuns = { runs: [], refused: [] };
export const results = signal<ReadRuns>(nothingRead);
/** False while the class guesses: the page then shows guesses and progress only. */
export const showsEndings = signal(false);
/** ID of the run that the teacher has opened. Its button takes the focus on return. */
export const left = signal<string | null>(null);
export const filesLeft = signal(0);

/** Null if storage holds all runs; empty while they are read and stored, then the error if storage has failed. */
export const unkept = signal<string | null>(null);

addEventListener('beforeunload', (event) => {
  if (unkept.value !== null && results.value.runs.length > 0) event.preventDefault();
});
