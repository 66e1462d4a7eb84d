/** Timeouts for storage that gives neither a result nor an error. */
import { afterAwake } from '../base/waits';
import { MarbleError } from '../base/error';

/** Timeouts of the storage in milliseconds. */
export interface Patience {
  /** Timeout for opening the database. */
  open: number;
  /** Timeout for a transaction. */
  answer: number;
  /** Time after a timeout without any new request. */
  pause: number;
}

/** For comparison: a checkpoint of 100 MB takes two seconds on a slow disk. */
export const defaultPatience: Patience = { open: 10_000, answer: 30_000, pause: 60_000 };

/**
 * Runs `work` with a timeout, which excludes sleep of the computer.
 *
 * @param work receives a signal that aborts at the timeout
 * @throws MarbleError `store/unavailable` at the timeout, and errors of `work`
 */
export async function within<T>(milliseconds: number, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const controller = new AbortController();
  let stop!: () => void;
  const timeout = new Promise<never>((_, reject) => {
    stop = afterAwake(milliseconds, () => {
      controller.abort();
      reject(timeoutError());
    });
  });
  try {
    return await Promise.race([work(controller.signal), timeout]);
  } finally {
    stop();
  }
}

export function timeoutError(): MarbleError {
  return new MarbleError(
    'store/unavailable',
    'The browser’s storage does not answer.',
    'Close other tabs of this page, or restart the browser. Training continues, and checkpoints can be saved as files.',
  );
}
