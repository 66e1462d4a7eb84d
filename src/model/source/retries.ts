/** Requests with retries for temporary failures: no connection, a truncated body, a busy server. */
import { afterAwake } from '../../base/waits';
import { MarbleError } from '../../base/error';

/** A file's address and its redirect target `at`. Requests go to the target until it fails, as signed addresses expire. */
export interface Place {
  readonly address: string;
  at: string;
}

export interface RemoteOptions {
  /** Rejects all reads with `model/aborted`. */
  signal?: AbortSignal;
  /** Milliseconds without a byte after which an attempt fails; sleep of the computer does not count. */
  silence?: number;
  /** Delay in milliseconds before the second attempt, doubled for each further attempt. */
  retryDelay?: number;
}

/** A request that takes long. */
export interface ServerWait {
  address: string;
  /** Seconds since its first attempt. */
  seconds: number;
  /** Number of the attempt, from 1. */
  attempt: number;
  /** Bytes that this attempt has received. */
  bytes: number;
}

/** Milliseconds from the start of a request to its first report, and between further ones. */
const FIRST_REPORT = 2000;
const NEXT_REPORT = 10_000;

let report: (wait: ServerWait) => void = () => undefined;

/** Reports every request of this program that takes more than two seconds, and again every ten. */
export function onServerWait(listener: (wait: ServerWait) => void): void {
  report = listener;
}

/** @returns a function that ends the reports */
function reportWaits(now: () => Omit<ServerWait, 'seconds'>): () => void {
  const start = performance.now();
  const tell = (): void => {
    report({ ...now(), seconds: Math.round((performance.now() - start) / 1000) });
    timer = setTimeout(tell, NEXT_REPORT);
  };
  let timer = setTimeout(tell, FIRST_REPORT);
  return () => clearTimeout(timer);
}

const ATTEMPTS = 4;
const RETRY_DELAY = 500;
const SILENCE = 30_000;
/** Longest delay in milliseconds of a server that is waited for without a word. A longer one is an error that names it. */
const LONGEST_WAIT = 20_000;

export function refuse(kind: string, message: string, nextStep: string, cause?: unknown): MarbleError {
  return new MarbleError(`model/${kind}`, message, nextStep, { cause });
}

/** Error for a status that a retry would not change. */
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
      `The server denies access to ${address} (${status}).`,
      'It is private, gated or misspelt: use a public one, or download its files and choose them here.',
    );
  }
  return refuse(
    'server-status',
    `The server answered ${status} for ${address}.`,
    'Try again later, or download the files in another way and choose them here.',
  );
}

/** True for the status of a temporary failure: timeout, too many requests, server error. */
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

/**
 * Delay in milliseconds that a busy server requests, by `Retry-After` (seconds, or a date by the server's clock) or, for
 * status 429, the reset of `RateLimit`. The Hub sends that header with every response.
 */
function requestedDelay({ headers, status }: Response): number {
  const after = headers.get('retry-after');
  const reset = status === 429 ? /;\s*t=(\d{1,9})/.exec(headers.get('ratelimit') ?? '')?.[1] : null;
  const now = Date.parse(headers.get('date') ?? '') || Date.now(); // pages cannot read the date of another host
  const seconds = after === null || /^\d+$/.test(after) ? after : (Date.parse(after) - now) / 1000;
  return 1000 * Math.max(Number(seconds ?? 0) || 0, Number(reset ?? 0));
}

/** Aborts an attempt that receives nothing for a while, and with the caller's signal. */
function watchSilence(milliseconds: number, outer: AbortSignal | undefined) {
  const abort = new AbortController();
  const stop = (): void => abort.abort(outer?.reason);
  outer?.addEventListener('abort', stop);
  let isSilent = false;
  let bytes = 0;
  const wait = () =>
    afterAwake(milliseconds, () => {
      isSilent = true;
      abort.abort();
    });
  let cancel = wait();
  return {
    signal: abort.signal,
    stop,
    isSilent: () => isSilent,
    bytes: () => bytes,
    /** The same response; each chunk of its body restarts the wait. */
    watched(response: Response): Response {
      const { body } = response;
      if (body === null) return response;
      const counted = body.pipeThrough(
        new TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>>({
          transform(chunk, controller) {
            cancel();
            cancel = wait();
            bytes += chunk.byteLength;
            controller.enqueue(chunk);
          },
        }),
      );
      return Object.defineProperty(response, 'body', { value: counted });
    },
    end(): void {
      cancel();
      outer?.removeEventListener('abort', stop);
    },
  };
}

/**
 * Fetches a place, passes the response to `take`, and retries after temporary failures: no connection, a truncated body, a busy
 * server. `take` reports a truncated body with an error whose code starts with `model/download-`.
 *
 * @throws MarbleError `model/unreachable`, `model/busy`, `model/file-missing`, `model/forbidden`,
 *   `model/server-status`, `model/aborted`, and errors of `take`
 */
export async function fetchWithRetries<T>(
  place: Place,
  headers: Record<string, string>,
  take: (response: Response) => Promise<T>,
  { signal, retryDelay = RETRY_DELAY, silence = SILENCE }: RemoteOptions = {},
): Promise<T> {
  const { address } = place;
  // The caller stores parts. The browser's HTTP cache would store them a second time and limit parallel requests.
  const cache = headers.Range === undefined ? 'default' : 'no-store';
  let trouble: MarbleError | null = null;
  let current = { attempt: 1, bytes: (): number => 0 };
  const endReports = reportWaits(() => ({ address, attempt: current.attempt, bytes: current.bytes() }));
  try {
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      throwIfAborted(signal, address);
      const { at } = place;
      let delay = 0;
      const attempted = watchSilence(silence, signal);
      current = { attempt: attempt + 1, bytes: attempted.bytes };
      try {
        const response = attempted.watched(
          await fetch(at, { headers, signal: attempted.signal, cache, referrerPolicy: 'no-referrer' }),
        );
        if (response.ok) {
          const result = await take(response);
          if (response.redirected) place.at = response.url;
          return result;
        }
        await response.body?.cancel();
        const { status } = response;
        if (isPassing(status)) {
          delay = requestedDelay(response);
          const isLong = delay > LONGEST_WAIT;
          trouble = refuse(
            'busy',
            `The server is busy: it answered ${status} for ${address}, ${isLong ? `and asks to wait ${Math.ceil(delay / 1000)} seconds` : `${attempt + 1} times`}.`,
            `Wait ${isLong ? 'that long' : 'a minute'}, then try again: the download resumes where it stopped.`,
          );
          if (isLong) throw trouble;
        } else {
          trouble = refusedStatus(status, address);
          if (at === address) throw trouble;
        }
      } catch (thrown) {
        attempted.stop(); // cancels an unread body
        throwIfAborted(signal, address);
        if (thrown instanceof MarbleError) {
          if (!thrown.code.startsWith('model/download-')) throw thrown;
          trouble = thrown;
        } else {
          trouble = refuse(
            'unreachable',
            attempted.isSilent()
              ? `The server of ${address} sent nothing for ${Math.round(silence / 1000)} seconds, at attempt ${attempt + 1} of ${ATTEMPTS}.`
              : `${address} cannot be reached, or the connection broke, at attempt ${attempt + 1} of ${ATTEMPTS}.`,
            'Check the network, and whether the server allows other sites to read its files (CORS), then try again: the download resumes where it stopped.',
            thrown,
          );
        }
      } finally {
        attempted.end();
      }
      if (place.at === at) place.at = address;
      if (attempt + 1 < ATTEMPTS) await pause(Math.max(delay, retryDelay * 2 ** attempt), signal);
    }
    throw trouble!;
  } finally {
    endReports();
  }
}
