/** Files from anybody are read in a worker of their own, which is closed when it does not come to an end. */
import type { DatasetService, Opening } from '../../../workers/dataset-protocol';
import { MarbleError } from '../../base/error';
import type { Files } from '../../export/cluster-files';
import type { ImportedRun } from '../../store/runs';
import { ask, openWorker } from './worker-port';

/** Milliseconds that a file may take: the largest data set takes a tenth of a minute, and a hostile one might never end. */
export const PATIENCE_TO_READ = 60_000;
const MILLISECONDS_PER_MEGABYTE = 1000;

/**
 * @param close ends whoever reads
 * @throws MarbleError `app/import-silent`, and what the reader throws
 */
export async function readInTime<T>(answer: Promise<T>, patience: number, close: () => void): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const silence = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      reject(
        new MarbleError(
          'app/import-silent',
          `The file was not read within ${Math.round(patience / 1000)} seconds, and nothing of it was kept.`,
          'It may be damaged or made to hold up whoever reads it: take another one.',
        ),
      );
      close();
    }, patience);
  });
  try {
    return await Promise.race([answer, silence]);
  } finally {
    clearTimeout(timer);
  }
}

/** Keeps the run of a file, Marble's own or that of another trainer, or of several files by their paths. */
export async function readRunFile(file: Blob | Files, opening?: Opening): Promise<ImportedRun> {
  const port = openWorker<DatasetService>('datasets', 'Try again; nothing of the file was kept.');
  const bytes = (file instanceof Blob ? [file] : Object.values(file)).reduce(
    (sum, { size }) => sum + size,
    0,
  );
  const patience = PATIENCE_TO_READ + (bytes / 1e6) * MILLISECONDS_PER_MEGABYTE;
  const answer = ask(port, (service) => service.openRunFile(file, opening));
  try {
    return await readInTime(answer, patience, () => port.close());
  } finally {
    port.close();
  }
}
