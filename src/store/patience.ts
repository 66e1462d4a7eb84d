/** An end to waiting for a storage that gives no answer at all, neither a result nor an error. */
import { afterAwake } from '../base/awake';
import { MarbleError } from '../base/error';

/** Milliseconds that opening, and a read or write, are waited for; after silence the storage is not asked for a while. */
export interface Patience {
  open: number;
  answer: number;
  pause: number;
}

/** A checkpoint of 100 MB takes a slow disk two seconds. */
export const usualPatience: Patience = { open: 10_000, answer: 30_000, pause: 60_000 };

/**
 * @param work - given a signal that is aborted where nobody waits any more
 * @throws MarbleError `store/unavailable` after so many milliseconds awake, and what `work` throws
 */
export async function within<T>(milliseconds: number, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const given = new AbortController();
  let stop!: () => void;
  const silence = new Promise<never>((_, reject) => {
    stop = afterAwake(milliseconds, () => {
      given.abort();
      reject(silent());
    });
  });
  try {
    return await Promise.race([work(given.signal), silence]);
  } finally {
    stop();
  }
}

export function silent(): MarbleError {
  return new MarbleError(
    'store/unavailable',
    'The browser’s storage does not answer.',
    'Close other tabs of this page, or restart the browser; training goes on, and checkpoints can be saved as files.',
  );
}
