import { afterAwake } from './waits';

/** Milliseconds for a file of the page itself, its body included. */
const PATIENCE = 60_000;

/**
 * Fetches a file of the page itself, and passes the response to `take`. The caller's signal and a timeout, which covers the
 * body, abort both.
 */
export async function fetchInTime<T>(
  address: string | URL,
  take: (response: Response) => Promise<T>,
  outer?: AbortSignal,
): Promise<T> {
  const abort = new AbortController();
  const stop = (): void => abort.abort(outer?.reason);
  if (outer?.aborted === true) stop();
  outer?.addEventListener('abort', stop);
  const cancel = afterAwake(PATIENCE, () => abort.abort());
  try {
    return await take(await fetch(address, { signal: abort.signal }));
  } finally {
    cancel();
    outer?.removeEventListener('abort', stop);
  }
}
