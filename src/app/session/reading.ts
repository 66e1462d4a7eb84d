/** Reads untrusted files in a separate worker, which is closed if it does not finish in time. */
import type { DatasetService } from '../../../workers/dataset-service';
import { afterAwake } from '../../base/waits';
import { MarbleError } from '../../base/error';
import type { Remote } from 'comlink';
import { ask, openWorker, PATIENCE_WHILE_READING, type WorkerPort } from './worker-port';

/** Added to the timeout. The largest data set takes six seconds, and a hostile file might never end. */
const MILLISECONDS_PER_MEGABYTE = 1000;

type Work<T> = (service: Remote<DatasetService>) => Promise<T>;

export type Reader = ReturnType<typeof createReader>;

/** Reads in one worker. After a failure it uses a new one, since the old one may still be busy. */
export function createReader() {
  let port: WorkerPort<Remote<DatasetService>> | null = null;
  const close = (): void => {
    port?.close();
    port = null;
  };
  /** Runs work without a timeout. */
  const asked = <T>(work: Work<T>): Promise<T> => {
    if (port === null) {
      const fresh = openWorker<DatasetService>('datasets', 'Try again; nothing stored has changed.');
      fresh.ended.catch(() => {
        if (port === fresh) close();
      });
      port = fresh;
    }
    return ask(port, work);
  };
  /** @throws MarbleError `app/import-silent` after a timeout, and the errors of the work */
  const read = async <T>(files: readonly Blob[], work: Work<T>): Promise<T> => {
    const bytes = files.reduce((sum, { size }) => sum + size, 0);
    const patience = PATIENCE_WHILE_READING + (bytes / 1e6) * MILLISECONDS_PER_MEGABYTE;
    const silent = new MarbleError(
      'app/import-silent',
      `The file was not read within ${Math.round(patience / 1000)} seconds, and nothing of it was kept.`,
      'It may be damaged, or made to block its reader: take another one.',
    );
    let stop!: () => void;
    const silence = new Promise<never>((_, reject) => (stop = afterAwake(patience, () => reject(silent))));
    try {
      return await Promise.race([asked(work), silence]);
    } catch (thrown) {
      close();
      throw thrown;
    } finally {
      stop();
    }
  };
  return { asked, read, close };
}
