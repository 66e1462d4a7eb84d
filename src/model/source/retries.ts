/** Requests that are made again while the trouble is a passing one: no connection, a broken body, a busy server. */
import { MarbleError } from '../../base/error';
import { fetchOnlyAgreed, type Place } from './redirects';

export interface RemoteOptions {
  /** Rejects all reads with `model/aborted`. */
  signal?: AbortSignal;
  /** Of a server that somebody named: it may send on to no other (`redirects.ts`). */
  onlyHere?: boolean;
  /** Milliseconds before the second attempt; doubled for each further one. */
  retryDelay?: number;
}

const ATTEMPTS = 4;
const RETRY_DELAY = 500;
/** The longest wait that a server is granted: the Hub counts requests over 5 minutes. */
const LONGEST_WAIT = 300_000;

export function refuse(kind: string, message: string, nextStep: string, cause?: unknown): MarbleError {
  return new MarbleError(`model/${kind}`, message, nextStep, { cause });
}

/** The error of an answer that no further attempt will change. */
function refusedStatus(status: number, address: string): MarbleError {
  if (status === 404 || status === 410) {
    return refuse(
      'file-missing',
      `There is no file at ${address} (${status}).`,
      'Check the address, the repository and the revision.',
    );
  }
  if (status === 401 || status === 403) {
    return refuse(
      'forbidden',
      `The server does not give ${address} to everyone (${status}).`,
      'It is private, gated or misspelt: take a public one, or download its files and choose them here.',
    );
  }
  return refuse(
    'server-status',
    `The server answered ${status} for ${address}.`,
    'Try again later, or download the files by other means and choose them here.',
  );
}

/** An answer worth another attempt: too many requests, or a server in trouble. */
function isPassing(status: number): boolean {
  return status === 408 || status === 429 || status >= 500;
}

function pause(milliseconds: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(done, milliseconds);
    function done(): void {
      clearTimeout(timer);
      signal?.removeEventListener('abort', done);
      resolve();
    }
    signal?.addEventListener('abort', done);
  });
}

export function throwIfAborted(signal: AbortSignal | undefined, address: string): void {
  if (signal?.aborted) {
    throw refuse('aborted', `The download of ${address} was stopped.`, 'Start it again when you like.');
  }
}

/** Milliseconds that a busy server asks for: `Retry-After` (seconds or a date), or the reset of its `RateLimit`. */
function waitAsked({ headers }: Response): number {
  const after = headers.get('retry-after');
  const reset = /;\s*t=(\d{1,9})/.exec(headers.get('ratelimit') ?? '')?.[1];
  const seconds = after === null || /^\d+$/.test(after) ? after : (Date.parse(after) - Date.now()) / 1000;
  const asked = Math.max(Number(seconds ?? 0) || 0, Number(reset ?? 0));
  return Math.min(LONGEST_WAIT, Math.max(0, asked * 1000));
}

/**
 * Fetches and hands the answer to `take`, again and again while the trouble is a passing one: no connection, a broken
 * body, a busy server. `take` says that a body is broken by throwing an error with a `model/download-` code.
 *
 * @throws MarbleError `model/unreachable`, `model/redirected`, `model/busy`, `model/file-missing`, `model/forbidden`,
 *   `model/server-status`, `model/aborted`, and what `take` throws
 */
export async function fetchWithRetries<T>(
  place: Place,
  headers: Record<string, string>,
  take: (response: Response) => Promise<T>,
  { signal, onlyHere = false, retryDelay = RETRY_DELAY }: RemoteOptions = {},
): Promise<T> {
  const { address } = place;
  // Parts are kept by who asks for them; the browser's own cache would keep them twice, and let few through at once.
  const cache = headers.Range === undefined ? 'default' : 'no-store';
  let trouble: MarbleError | null = null;
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    throwIfAborted(signal, address);
    const { at } = place;
    let asked = 0;
    try {
      const response = await fetchOnlyAgreed(place, onlyHere, { headers, signal, cache });
      if (response.ok) {
        const taken = await take(response);
        if (response.redirected) place.at = response.url;
        return taken;
      }
      await response.body?.cancel();
      asked = waitAsked(response);
      trouble = isPassing(response.status)
        ? refuse(
            'busy',
            `The server is busy: it answered ${response.status} for ${address}, ${attempt + 1} times.`,
            'Wait a minute, then try again: a download that had begun goes on where it stopped.',
          )
        : refusedStatus(response.status, address);
      if (!isPassing(response.status) && at === address) throw trouble;
    } catch (thrown) {
      throwIfAborted(signal, address);
      if (thrown instanceof MarbleError) {
        if (!thrown.code.startsWith('model/download-')) throw thrown;
        trouble = thrown;
      } else {
        trouble = refuse(
          'unreachable',
          `${address} cannot be reached, or the connection broke.`,
          'Check the network, and whether its server lets other pages read its files, then try again: a download that had begun goes on where it stopped.',
          thrown,
        );
      }
    }
    if (place.at === at) place.at = address;
    if (attempt + 1 < ATTEMPTS) await pause(Math.max(asked, retryDelay * 2 ** attempt), signal);
  }
  throw trouble!;
}
