/** State of a teacher's page: the link in preparation and the runs that were read. It lasts as long as the tab. */
import { signal } from '@preact/signals';
import { createReader } from '../session/reading';
import { readRuns, type ReadRuns } from './read-runs';

/** Index into `experiments`; the index after the last one selects the settings of the form. */
export const chosenExperiment = signal(0);
export const seats = signal('25');
export const isLesson = signal(true);

export const results = signal<ReadRuns>({ runs: [], refused: [] });
export const filesLeft = signal(0);

const { read, close } = createReader();
let last = Promise.resolve();

/** Reads files after those that were given before, and adds their runs to the results. */
export function takeFiles(files: readonly File[]): Promise<void> {
  filesLeft.value += files.length;
  last = last.then(async () => {
    results.value = await readRuns(files, results.value, (file) =>
      read([file], (service) => service.readHistory(file)).finally(() => (filesLeft.value -= 1)),
    );
    close();
  });
  return last;
}

addEventListener('beforeunload', (event) => {
  if (results.value.runs.length > 0) event.preventDefault();
});
