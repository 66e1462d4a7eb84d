/**
 * How a downloaded file lies in the Cache API: parts of 64 MB, each a complete response of status 200 (a partial one,
 * 206, cannot be stored), and one small record of the file. A part is written whole or not at all, and holds with it
 * what a later visit needs: the SHA-256 of each of its pieces, and the state of the file's SHA-256 at its end.
 */
import type { ByteSource } from '../../model/source/byte-source';
import { sha256 } from '../../base/digest';
import { MarbleError } from '../../base/error';

/** What is used of a `Cache`. */
export interface PartCache {
  match(key: string): Promise<Response | undefined>;
  put(key: string, response: Response): Promise<void>;
  delete(key: string): Promise<boolean>;
  keys(): Promise<readonly { url: string }[]>;
}

/** The sizes of a part and of a piece: what one request fetches and one hash covers. Both multiples of 64. */
export interface PartSizes {
  part: number;
  piece: number;
}

export interface FileRecord {
  address: string;
  size: number;
  /** The server's version of the file when its first part was fetched. */
  etag: string | null;
  lastModified: string | null;
  /** Of the whole file, where the server's list tells it. */
  sha256: string | null;
  sizes: PartSizes;
  /** All parts are here, and the whole has the hash that it should have. */
  complete: boolean;
  /** Milliseconds since 1970. */
  savedAt: number;
}

export interface Part {
  blob: Blob;
  /** SHA-256 of each piece. */
  digests: string[];
  /** State of the file's SHA-256 behind this part (`sha256.ts`). */
  state: string;
}

/** A name that no server has, so that a key is never fetched. */
const prefix = 'https://weights.invalid/';

const fileKey = (address: string) => `${prefix}${encodeURIComponent(address)}/file`;
const textKey = (address: string) => `${prefix}${encodeURIComponent(address)}/text`;
const partKey = (address: string, index: number) => `${prefix}${encodeURIComponent(address)}/${index}`;

export function partCount({ size, sizes }: FileRecord): number {
  return Math.ceil(size / sizes.part);
}

/** The pieces of a part as [start, end) in the file. */
export function piecesOf({ size, sizes }: FileRecord, index: number): [start: number, end: number][] {
  const end = Math.min(size, (index + 1) * sizes.part);
  const pieces: [number, number][] = [];
  for (let start = index * sizes.part; start < end; start += sizes.piece) {
    pieces.push([start, Math.min(end, start + sizes.piece)]);
  }
  return pieces;
}

export async function readFileRecord(cache: PartCache, address: string): Promise<FileRecord | null> {
  const response = await cache.match(fileKey(address));
  return response === undefined ? null : ((await response.json()) as FileRecord);
}

export async function putFileRecord(cache: PartCache, record: FileRecord): Promise<void> {
  await cache.put(fileKey(record.address), new Response(JSON.stringify(record)));
}

/** A small text beside the parts; null where it is not kept. */
export async function readText(cache: PartCache, address: string): Promise<string | null> {
  const response = await cache.match(textKey(address));
  return response === undefined ? null : response.text();
}

export async function putText(cache: PartCache, address: string, text: string): Promise<void> {
  await cache.put(textKey(address), new Response(text));
}

/** @returns null where the part is not there, or not of the size that it must have */
export async function readPart(cache: PartCache, record: FileRecord, index: number): Promise<Part | null> {
  const response = await cache.match(partKey(record.address, index));
  if (response === undefined) return null;
  const digests = response.headers.get('x-marble-pieces')?.split(',') ?? [];
  const state = response.headers.get('x-marble-state') ?? '';
  const blob = await response.blob();
  const pieces = piecesOf(record, index);
  const whole = blob.size === pieces.at(-1)![1] - pieces[0][0] && digests.length === pieces.length;
  return whole ? { blob, digests, state } : null;
}

export async function putPart(
  cache: PartCache,
  record: FileRecord,
  index: number,
  pieces: readonly Blob[],
  digests: readonly string[],
  state: string,
): Promise<void> {
  const headers = { 'x-marble-pieces': digests.join(','), 'x-marble-state': state };
  const body = new Blob([...pieces]);
  await cache.put(partKey(record.address, index), new Response(body, { headers }));
}

/** Which parts are there, by a look at the keys alone. */
export async function keptParts(cache: PartCache, address: string): Promise<Set<number>> {
  const start = `${prefix}${encodeURIComponent(address)}/`;
  const names = (await cache.keys()).flatMap(({ url }) =>
    url.startsWith(start) ? [url.slice(start.length)] : [],
  );
  return new Set(names.map(Number).filter((index) => !Number.isNaN(index)));
}

/** Addresses of all files of which something is kept. */
export async function keptAddresses(cache: PartCache): Promise<string[]> {
  const names = (await cache.keys()).flatMap(({ url }) =>
    url.startsWith(prefix) ? [url.slice(prefix.length, url.lastIndexOf('/'))] : [],
  );
  return [...new Set(names)].map(decodeURIComponent);
}

/** The record goes last: what is left of an interrupted removal is still listed. */
export async function removeFile(cache: PartCache, address: string): Promise<void> {
  for (const index of await keptParts(cache, address)) await cache.delete(partKey(address, index));
  await cache.delete(textKey(address));
  await cache.delete(fileKey(address));
}

/**
 * The bytes of a file whose parts are kept. Each part's hashes are checked when it is first touched; one that does not
 * hold is fetched again.
 *
 * @param fetchPart - fetches a part anew and keeps it
 * @param trusted - parts that were checked as they came
 */
export function partSource(
  cache: PartCache,
  record: FileRecord,
  fetchPart: (index: number) => Promise<void>,
  trusted: Iterable<number>,
): ByteSource {
  const checked = new Set(trusted);
  const blobs = new Map<number, Promise<Blob>>();

  async function holds(part: Part, index: number): Promise<boolean> {
    const offset = index * record.sizes.part;
    for (const [piece, [start, end]] of piecesOf(record, index).entries()) {
      const bytes = await part.blob.slice(start - offset, end - offset).arrayBuffer();
      if ((await sha256(bytes)) !== part.digests[piece]) return false;
    }
    return true;
  }

  async function openPart(index: number): Promise<Blob> {
    const part = await readPart(cache, record, index);
    if (part !== null && (checked.has(index) || (await holds(part, index)))) return part.blob;
    await fetchPart(index);
    const again = await readPart(cache, record, index);
    if (again !== null && (part === null || String(again.digests) === String(part.digests)))
      return again.blob;
    throw new MarbleError(
      'store/part-damaged',
      `Part ${index + 1} of ${partCount(record)} of ${record.address} is damaged, and the server has another one now.`,
      'Delete the downloaded model and load it again.',
    );
  }

  function blobOf(index: number): Promise<Blob> {
    const known = blobs.get(index) ?? openPart(index);
    blobs.set(index, known);
    known.catch(() => blobs.delete(index)); // the next reader tries again
    return known;
  }

  return {
    size: record.size,
    async read(start, end) {
      if (!(start >= 0 && start <= end && end <= record.size)) {
        throw new MarbleError(
          'store/range',
          `Bytes ${start} to ${end} were asked for in a file of ${record.size} bytes.`,
          'The file is shorter than its own description: delete it and download it again.',
        );
      }
      // An array of our own, filled: the collector counts it. What a blob hands out it overlooks for a gigabyte.
      const bytes = new Uint8Array(end - start);
      const { part } = record.sizes;
      for (let index = Math.floor(start / part); index * part < end; index += 1) {
        const offset = index * part;
        const from = Math.max(start, offset);
        const blob = (await blobOf(index)).slice(from - offset, Math.min(end - offset, part));
        bytes.set(new Uint8Array(await blob.arrayBuffer()), from - start);
      }
      return bytes;
    },
  };
}
