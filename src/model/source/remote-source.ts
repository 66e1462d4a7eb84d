/**
 * A file on a server as a source of bytes: a probe of one byte for the size, then Range requests. Servers are untrusted: each
 * response is checked for its range, its length, the size of the file and its version. Truncated bodies, timeouts and busy
 * servers are retried a few times with increasing delays.
 */
import { readWithin } from '../../base/read-within';
import { blobSource, checkRange, type ByteSource } from './byte-source';
import { fetchWithRetries, refuse, throwIfAborted, type Place, type RemoteOptions } from './retries';

export type { RemoteOptions };

/**
 * Headers that identify a version of a file. Null means that the header is missing or hidden from pages of another origin, as
 * ETag is by default.
 */
interface FileVersion {
  readonly etag: string | null;
  readonly lastModified: string | null;
}

export interface RemoteFile extends ByteSource {
  /** `ByteSource.read` with progress: `arrived` receives counts of new bytes, and a negative count after a failed attempt. */
  read(start: number, end: number, arrived?: (bytes: number) => void): Promise<Uint8Array>;
}

/** Limit in bytes on a whole file that a server sends instead of a part. */
const WHOLE_FILE_LIMIT = 64 * 1024 * 1024;
/** Number of bytes between calls of `arrived`. */
const REPORT_BYTES = 1024 * 1024;

function versionOf({ headers }: Response): FileVersion {
  return { etag: headers.get('etag'), lastModified: headers.get('last-modified') };
}

/** Compares ETags if both have one, else dates. Copies on several machines of one server have different dates. */
function isOtherVersion(one: FileVersion, other: FileVersion): boolean {
  const bare = (etag: string): string => etag.replace(/^W\//, '');
  if (one.etag !== null && other.etag !== null) return bare(one.etag) !== bare(other.etag);
  if (one.lastModified === null || other.lastModified === null) return false;
  return one.lastModified !== other.lastModified;
}

/** Parses a `Content-Range: bytes first-last/total` header. */
function contentRange(response: Response, address: string): { first: number; last: number; total: number } {
  const header = response.headers.get('content-range') ?? '';
  const match = /^bytes (\d{1,15})-(\d{1,15})\/(\d{1,15})$/.exec(header);
  if (match === null) {
    throw refuse(
      'server-range',
      `The server sends a part of ${address} without a valid range ("${header.slice(0, 60)}").`,
      'Use another address for the model, or download its files and choose them here.',
    );
  }
  const [first, last, total] = match.slice(1).map(Number);
  return { first, last, total };
}

/**
 * Reads `size` bytes of a body after skipping the first `before`. Throws `model/download-truncated` for a truncated body, and
 * `model/download-size` for a part (`whole` false) with too many bytes.
 */
async function readBytes(
  response: Response,
  { before, size, whole }: { before: number; size: number; whole: boolean },
  address: string,
  signal: AbortSignal | undefined,
  arrived?: (bytes: number) => void,
): Promise<Uint8Array> {
  const bytes = new Uint8Array(size);
  const reader = response.body?.getReader();
  let skipped = 0;
  let filled = 0;
  let reported = 0;
  try {
    while (filled < size || !whole) {
      const chunk = await reader?.read();
      if (chunk === undefined || chunk.done) break;
      const skip = Math.min(before - skipped, chunk.value.byteLength);
      const rest = chunk.value.subarray(skip);
      skipped += skip;
      if (filled + rest.byteLength > size && !whole) {
        throw refuse(
          'download-size',
          `The server sends more than the announced ${size} bytes of ${address}.`,
          'Try again; if this repeats, use another address for the model.',
        );
      }
      bytes.set(rest.subarray(0, size - filled), filled);
      filled = Math.min(size, filled + rest.byteLength);
      if (filled - reported < REPORT_BYTES && filled < size) continue;
      arrived?.(filled - reported);
      reported = filled;
      throwIfAborted(signal, address); // in Node a fully received body ignores the signal
    }
    if (filled < size) {
      throw refuse(
        'download-truncated',
        `The download of ${address} ended after ${filled} of ${size} bytes.`,
        'Check the network and try again; the downloaded parts are kept.',
      );
    }
    return bytes;
  } catch (error) {
    if (reported > 0) arrived?.(-reported);
    throw error;
  } finally {
    reader?.cancel().catch(() => undefined);
  }
}

/** Bytes by which compression may lengthen a small body. */
const COMPRESSION_ADDS = 64;

/**
 * Reads the whole body of a response, up to a limit. The announced length is that of the compressed body, which is no longer
 * than the text but for small texts, and pages cannot see whether a body of another host is compressed. Not every browser
 * rejects a truncated body.
 */
async function readWhole(
  response: Response,
  address: string,
  limit: number,
): Promise<Uint8Array<ArrayBuffer>> {
  const announced = Number(response.headers.get('content-length') ?? NaN);
  const bytes = announced > limit ? null : await readWithin(limit, response.body ?? new Blob().stream());
  if (bytes === null) {
    throw refuse(
      'no-range',
      `The server does not send parts of ${address}, and the limit on whole files is ${limit} bytes.`,
      'Use a server that supports Range requests, or download the files and choose them here.',
    );
  }
  if (bytes.length + COMPRESSION_ADDS < announced) {
    throw refuse(
      'download-truncated',
      `The download of ${address} ended after ${bytes.length} of ${announced} bytes.`,
      'Check the network and try again.',
    );
  }
  return bytes;
}

/**
 * Fetches a small file completely, with the address of the next page of a list from the `Link` header.
 *
 * @throws MarbleError errors of `fetchWithRetries`, `model/no-range` above `limit` bytes
 */
export function fetchPage(
  address: string,
  limit: number,
  options: RemoteOptions = {},
): Promise<{ bytes: Uint8Array<ArrayBuffer>; next: string | null }> {
  return fetchWithRetries(
    { address, at: address },
    {},
    async (response) => {
      const link = /<([^>]*)>[^,]*;\s*rel="?next"?/i.exec(response.headers.get('link') ?? '');
      return { bytes: await readWhole(response, address, limit), next: link && link[1] };
    },
    options,
  );
}

function refuseWebPage(response: Response, address: string): void {
  if (!response.headers.get('content-type')?.startsWith('text/html')) return;
  throw refuse(
    'web-page',
    `${address} is a web page, not a file of a model.`,
    'The address is wrong, or a login page intercepts the request: open it in a tab to check.',
  );
}

/**
 * Opens a file on a server with a request of its first byte.
 *
 * @throws MarbleError errors of `fetchWithRetries`; `model/server-range`, `model/no-range` for a server without Range support;
 *   `model/web-page` for a web page instead of a file. Reads also throw `model/file-changed` if a later
 *   response has another version
 */
export async function openRemote(address: string, options: RemoteOptions = {}): Promise<RemoteFile> {
  const place: Place = { address, at: address };
  return fetchWithRetries(
    place,
    { Range: 'bytes=0-0' },
    async (response): Promise<RemoteFile> => {
      refuseWebPage(response, address);
      const version = versionOf(response);
      if (response.status !== 206)
        return blobSource(new Blob([await readWhole(response, address, WHOLE_FILE_LIMIT)]));
      const { total: size } = contentRange(response, address);
      await response.body?.cancel();
      return {
        size,
        read: (start, end, arrived) => readRange(place, start, end, { size, version }, options, arrived),
      };
    },
    options,
  );
}

/** Checks that a response has the requested range. */
function checkPart(response: Response, start: number, end: number, total: number, address: string): void {
  const range = contentRange(response, address);
  if (range.first === start && range.last === end - 1 && range.total === total) return;
  throw refuse(
    'server-range',
    `The request was for bytes ${start} to ${end - 1} of ${total} of ${address}; the server sends ${range.first} to ${range.last} of ${range.total}.`,
    'The file changed during the download, or the server is faulty: start again, with a fixed revision.',
  );
}

async function readRange(
  place: Place,
  start: number,
  end: number,
  { size: total, version }: { size: number; version: FileVersion },
  options: RemoteOptions,
  arrived?: (bytes: number) => void,
): Promise<Uint8Array> {
  const { address } = place;
  checkRange(start, end, total);
  if (start === end) return new Uint8Array(0);
  return fetchWithRetries(
    place,
    { Range: `bytes=${start}-${end - 1}` },
    (response) => {
      // A cache or service worker may answer a Range request with the whole file.
      const whole = response.status !== 206;
      if (!whole) checkPart(response, start, end, total, address);
      else refuseWebPage(response, address);
      if (whole && end > WHOLE_FILE_LIMIT) {
        throw refuse(
          'download-whole',
          `The server sent all of ${address} for a request of a part, after it had sent parts before.`,
          'Try again later, or use another address for the model.',
        );
      }
      if (isOtherVersion(version, versionOf(response))) {
        throw refuse(
          'file-changed',
          `${address} was replaced on the server during the download.`,
          'Start the download again, or choose a commit of the Hub, which cannot change during a run.',
        );
      }
      return readBytes(
        response,
        { before: whole ? start : 0, size: end - start, whole },
        address,
        options.signal,
        arrived,
      );
    },
    options,
  );
}
