/**
 * A file on a server as a source of bytes: one probing request of one byte for its size, then Range requests. A server
 * is believed in nothing: the range that it says it sends, the bytes that come, the size and the version from answer to
 * answer are all compared, and what is cut, late or busy is asked for again a few times with growing waits.
 */
import { readWithin } from '../../base/read-within';
import { bufferSource, checkRange, type ByteSource } from './byte-source';
import type { Place } from './redirects';
import { fetchWithRetries, refuse, throwIfAborted, type RemoteOptions } from './retries';

export type { RemoteOptions };

/**
 * By what a server tells one version of a file from the next. Null is what it does not say, or does not let a page of
 * another origin see (ETag, unless it says so): not a value that two versions could have in common.
 */
export interface FileVersion {
  readonly etag: string | null;
  readonly lastModified: string | null;
}

export interface RemoteFile extends ByteSource {
  /** As the server first gave it; reads reject with `model/file-changed` once it gives another. */
  readonly version: FileVersion;
  /** Whether this is the version given; null where nothing tells. */
  isVersion(other: FileVersion): boolean | null;
  /** False when the server ignores Range, so that the file is held whole in memory. */
  readonly ranged: boolean;
  /** As of every source. `arrived` is told the bytes that come meanwhile; less than nothing where a try was in vain. */
  read(start: number, end: number, arrived?: (bytes: number) => void): Promise<Uint8Array>;
}

/** What is held in memory, or read past, when a server sends the whole file for a part. */
const WHOLE_FILE_LIMIT = 64 * 1024 * 1024;
/** Bytes of a part after which `arrived` is told. */
const TOLD_BYTES = 1024 * 1024;

function versionOf({ headers }: Response): FileVersion {
  return { etag: headers.get('etag'), lastModified: headers.get('last-modified') };
}

/** An ETag decides where both have one: a copy on another machine of a server has a date of its own. */
function sameVersion(one: FileVersion, other: FileVersion): boolean | null {
  const bare = (etag: string): string => etag.replace(/^W\//, '');
  if (one.etag !== null && other.etag !== null) return bare(one.etag) === bare(other.etag);
  if (one.lastModified === null || other.lastModified === null) return null;
  return one.lastModified === other.lastModified;
}

/** The numbers of a `Content-Range: bytes first-last/total` header. */
function contentRange(response: Response, address: string): { first: number; last: number; total: number } {
  const header = response.headers.get('content-range') ?? '';
  const match = /^bytes (\d{1,15})-(\d{1,15})\/(\d{1,15})$/.exec(header);
  if (match === null) {
    throw refuse(
      'server-range',
      `The server sends a part of ${address} and does not say which ("${header.slice(0, 60)}").`,
      'Take the model from another address, or download its files and choose them here.',
    );
  }
  const [first, last, total] = match.slice(1).map(Number);
  return { first, last, total };
}

/**
 * The `size` bytes that stand after the first `before` of a body, not read on. Broken off, it is
 * `model/download-truncated`; longer than a part may be (`whole` false), `model/download-size`.
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
  let told = 0;
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
          `The server sends more than the ${size} bytes of ${address} that it announced.`,
          'Try again; if it stays so, take the model from another address.',
        );
      }
      bytes.set(rest.subarray(0, size - filled), filled);
      filled = Math.min(size, filled + rest.byteLength);
      if (filled - told < TOLD_BYTES && filled < size) continue;
      arrived?.(filled - told);
      told = filled;
      throwIfAborted(signal, address); // Node's answer that is here in full would not end
    }
    if (filled < size) {
      throw refuse(
        'download-truncated',
        `${address} broke off after ${filled} of ${size} bytes.`,
        'Check the network and try again; what was downloaded is kept.',
      );
    }
    return bytes;
  } catch (error) {
    if (told > 0) arrived?.(-told);
    throw error;
  } finally {
    reader?.cancel().catch(() => undefined);
  }
}

/** The whole body of an answer that is no part, up to a limit. */
async function readWhole(
  response: Response,
  address: string,
  limit: number,
): Promise<Uint8Array<ArrayBuffer>> {
  const announced = Number(response.headers.get('content-length') ?? NaN);
  if (announced > limit) await response.body?.cancel();
  const bytes = announced > limit ? null : await readWithin(limit, response.body ?? new Blob().stream());
  if (bytes === null) {
    throw refuse(
      'no-range',
      `The server sends all of ${address} at once and no parts; at most ${limit} bytes fit.`,
      'Take it from a server that answers Range requests, or download its files and choose them here.',
    );
  }
  const encoded = response.headers.get('content-encoding') !== null;
  if (!encoded && Number.isFinite(announced) && announced !== bytes.length) {
    throw refuse(
      'download-truncated',
      `${address} broke off after ${bytes.length} of ${announced} bytes.`,
      'Check the network and try again.',
    );
  }
  return bytes;
}

/** A small file in full. @throws MarbleError those of `fetchWithRetries`, `model/no-range` above `limit` bytes */
export async function fetchBytes(
  address: string,
  limit: number,
  options: RemoteOptions = {},
): Promise<Uint8Array<ArrayBuffer>> {
  return (await fetchPage(address, limit, options)).bytes;
}

/** As `fetchBytes`, with the address that its `Link` header names as the next page. */
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

async function refuseWebPage(response: Response, address: string): Promise<void> {
  if (!response.headers.get('content-type')?.startsWith('text/html')) return;
  await response.body?.cancel();
  throw refuse(
    'web-page',
    `${address} is a web page, not a file of a model.`,
    'The address is wrong, or a login page stands between: open it in a tab to see.',
  );
}

/**
 * Opens a file on a server with a request of its first byte.
 *
 * @throws MarbleError those of `fetchWithRetries`; `model/server-range`, `model/no-range` for a server without parts;
 *   `model/web-page` where a page comes in the place of a file. Reads also with `model/file-changed`
 */
export async function openRemote(address: string, options: RemoteOptions = {}): Promise<RemoteFile> {
  const place: Place = { address, at: address };
  return fetchWithRetries(
    place,
    { Range: 'bytes=0-0' },
    async (response): Promise<RemoteFile> => {
      await refuseWebPage(response, address);
      const version = versionOf(response);
      const isVersion = (other: FileVersion): boolean | null => sameVersion(version, other);
      if (response.status !== 206) {
        const whole = bufferSource(await readWhole(response, address, WHOLE_FILE_LIMIT));
        return { ...whole, version, isVersion, ranged: false };
      }
      const { total: size } = contentRange(response, address);
      await response.body?.cancel();
      return {
        size,
        version,
        isVersion,
        ranged: true,
        read: (start, end, arrived) => readRange(place, start, end, { size, isVersion }, options, arrived),
      };
    },
    options,
  );
}

/** Refuses an answer with a part that is not the one asked for. */
function checkPart(response: Response, start: number, end: number, total: number, address: string): void {
  const range = contentRange(response, address);
  if (range.first === start && range.last === end - 1 && range.total === total) return;
  throw refuse(
    'server-range',
    `Bytes ${start} to ${end - 1} of ${total} of ${address} were asked for; the server sends ${range.first} to ${range.last} of ${range.total}.`,
    'The file changed during the download, or the server is faulty: start again, with a fixed revision.',
  );
}

async function readRange(
  place: Place,
  start: number,
  end: number,
  { size: total, isVersion }: Pick<RemoteFile, 'size' | 'isVersion'>,
  options: RemoteOptions,
  arrived?: (bytes: number) => void,
): Promise<Uint8Array> {
  const { address } = place;
  checkRange(start, end, total);
  if (start === end) return new Uint8Array(0);
  return fetchWithRetries(
    place,
    { Range: `bytes=${start}-${end - 1}` },
    async (response) => {
      // A cache between, a service worker too, may answer for a part with the whole.
      const whole = response.status !== 206;
      try {
        if (!whole) checkPart(response, start, end, total, address);
        else await refuseWebPage(response, address);
        if (whole && end > WHOLE_FILE_LIMIT) {
          throw refuse(
            'download-whole',
            `The server sent all of ${address} when a part was asked for, and had sent parts before.`,
            'Try again later, or take the model from another address.',
          );
        }
        if (isVersion(versionOf(response)) === false) {
          throw refuse(
            'file-changed',
            `${address} was replaced on the server while it was read.`,
            'Start again: it is fetched anew. A commit of the Hub does not change under a run.',
          );
        }
      } catch (error) {
        await response.body?.cancel();
        throw error;
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
