/**
 * Layout and download of a file in the Cache API: parts of 64 MB and one small record. Each part is a response of status 200,
 * since the Cache API rejects partial responses (206). A part is written completely or not at all. Its headers have the
 * SHA-256 of each of its pieces.
 */
import { sha256 as streamedSha256 } from '@noble/hashes/sha2.js';
import { bytesToHex } from '@noble/hashes/utils.js';
import type { ByteSource } from '../../model/source/byte-source';
import type { RemoteFile } from '../../model/source/remote-source';
import { sha256 } from '../../base/digest';
import { MarbleError } from '../../base/error';

/** The methods of `Cache` that are used. */
export interface PartCache {
  match(key: string): Promise<Response | undefined>;
  put(key: string, response: Response): Promise<void>;
  delete(key: string): Promise<boolean>;
  keys(): Promise<readonly { url: string }[]>;
}

/** Sizes in bytes of a part and of a piece, multiples of 64. One request fetches one piece, which has its own hash. */
export interface PartSizes {
  part: number;
  piece: number;
}

export interface FileRecord {
  address: string;
  size: number;
  /** SHA-256 of the whole file, if the Hub's list has it. */
  sha256: string | null;
  sizes: PartSizes;
  /** True if all parts are stored and the whole file has the expected hash. */
  complete: boolean;
  /** Milliseconds since 1970. */
  savedAt: number;
}

export interface Part {
  blob: Blob;
  /** SHA-256 of each piece. */
  digests: string[];
}

/** A reserved host name, which no request can reach. */
const prefix = 'https://weights.invalid/';

const fileKey = (address: string) => `${prefix}${encodeURIComponent(address)}/file`;
const textKey = (address: string) => `${prefix}${encodeURIComponent(address)}/text`;
const partKey = (address: string, index: number) => `${prefix}${encodeURIComponent(address)}/${index}`;

export function partCount({ size, sizes }: FileRecord): number {
  return Math.ceil(size / sizes.part);
}

/** Ranges [start, end) in the file of the pieces of a part. */
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

/** Reads the text stored for an address; null if there is none. */
export async function readText(cache: PartCache, address: string): Promise<string | null> {
  const response = await cache.match(textKey(address));
  return response === undefined ? null : response.text();
}

export async function putText(cache: PartCache, address: string, text: string): Promise<void> {
  await cache.put(textKey(address), new Response(text));
}

/** @returns null if the part is missing or has the wrong size */
export async function readPart(cache: PartCache, record: FileRecord, index: number): Promise<Part | null> {
  const response = await cache.match(partKey(record.address, index));
  if (response === undefined) return null;
  const digests = response.headers.get('x-marble-pieces')?.split(',') ?? [];
  const blob = await response.blob().catch(() => null); // a disk may refuse a read
  const pieces = piecesOf(record, index);
  const whole = blob?.size === pieces.at(-1)![1] - pieces[0][0] && digests.length === pieces.length;
  return whole ? { blob, digests } : null;
}

export async function putPart(
  cache: PartCache,
  record: FileRecord,
  index: number,
  pieces: readonly Blob[],
  digests: readonly string[],
): Promise<void> {
  const headers = { 'x-marble-pieces': digests.join(',') };
  const body = new Blob([...pieces]);
  await cache.put(partKey(record.address, index), new Response(body, { headers }));
}

/**
 * True if a stored part is readable and matches its digests.
 *
 * @param take receives its pieces in order, up to the first damaged one
 */
export async function holds(
  record: FileRecord,
  part: Part,
  index: number,
  take?: (piece: Uint8Array) => void,
): Promise<boolean> {
  const offset = index * record.sizes.part;
  for (const [piece, [start, end]] of piecesOf(record, index).entries()) {
    const slice = part.blob.slice(start - offset, end - offset);
    const bytes = await slice.arrayBuffer().catch(() => null);
    if (bytes === null || (await sha256(bytes)) !== part.digests[piece]) return false;
    take?.(new Uint8Array(bytes));
  }
  return true;
}

/** Indices of the stored parts, from the keys of the cache. */
export async function storedParts(cache: PartCache, address: string): Promise<Set<number>> {
  const start = `${prefix}${encodeURIComponent(address)}/`;
  const names = (await cache.keys()).flatMap(({ url }) =>
    url.startsWith(start) ? [url.slice(start.length)] : [],
  );
  return new Set(names.map(Number).filter((index) => !Number.isNaN(index)));
}

/** Addresses of all completely or partly stored files. */
export async function storedAddresses(cache: PartCache): Promise<string[]> {
  const names = (await cache.keys()).flatMap(({ url }) =>
    url.startsWith(prefix) ? [url.slice(prefix.length, url.lastIndexOf('/'))] : [],
  );
  return [...new Set(names)].map(decodeURIComponent);
}

/** Removes the parts of a file, then its record. The list therefore still shows a partly removed file. */
export async function removeFile(cache: PartCache, address: string): Promise<void> {
  for (const index of await storedParts(cache, address)) await cache.delete(partKey(address, index));
  await cache.delete(textKey(address));
  await cache.delete(fileKey(address));
}

/**
 * The bytes of a file with stored parts. The first read of a part checks its hashes and fetches a damaged part again.
 *
 * @param fetchPart downloads and stores a part
 * @param trusted indices of parts that were hashed during this visit
 */
export function partSource(
  cache: PartCache,
  record: FileRecord,
  fetchPart: (index: number) => Promise<void>,
  trusted: Iterable<number>,
): ByteSource {
  const checked = new Set(trusted);
  const blobs = new Map<number, Promise<Blob>>();

  async function openPart(index: number): Promise<Blob> {
    const part = await readPart(cache, record, index);
    if (part !== null && (checked.has(index) || (await holds(record, part, index)))) return part.blob;
    await fetchPart(index);
    const again = await readPart(cache, record, index);
    if (again !== null && (part === null || String(again.digests) === String(part.digests)))
      return again.blob;
    throw new MarbleError(
      'store/part-damaged',
      `Part ${index + 1} of ${partCount(record)} of ${record.address} is damaged, and the part on the server differs now.`,
      'Delete the downloaded model and load it again.',
    );
  }

  function blobOf(index: number): Promise<Blob> {
    const blob = blobs.get(index) ?? openPart(index);
    blobs.set(index, blob);
    blob.catch(() => blobs.delete(index)); // the next read tries again
    return blob;
  }

  return {
    size: record.size,
    async read(start, end) {
      if (!(start >= 0 && start <= end && end <= record.size)) {
        throw new MarbleError(
          'store/range',
          `A read of bytes ${start} to ${end} is outside the file of ${record.size} bytes.`,
          'The file is shorter than its header says: delete it and download it again.',
        );
      }
      // A separate array, since the garbage collector does not count buffers that come from a Blob and collects them late.
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

/** Number of parallel requests, one per piece. */
const REQUESTS = 4;

/**
 * Fetches one part by parallel requests and stores it.
 *
 * @param take receives its pieces in order
 */
export async function fetchPart(
  remote: RemoteFile,
  cache: PartCache,
  record: FileRecord,
  index: number,
  take: (piece: Uint8Array) => void = () => undefined,
  arrived?: (bytes: number) => void,
): Promise<void> {
  const remaining = piecesOf(record, index);
  const reads: Promise<Uint8Array>[] = [];
  const readNext = (): void => {
    const [start, end] = remaining.shift() ?? [0, 0];
    if (end === 0) return;
    const read = remote.read(start, end, arrived);
    read.catch(() => undefined); // the first failure is thrown below
    reads.push(read);
  };
  for (let count = 0; count < REQUESTS; count++) readNext();
  const pieces: Blob[] = [];
  const digests: string[] = [];
  while (reads.length > 0) {
    // Moves the piece to a Blob, which the browser stores outside the page's heap.
    const bytes = (await reads.shift()!) as Uint8Array<ArrayBuffer>;
    readNext();
    digests.push(await sha256(bytes));
    take(bytes);
    pieces.push(new Blob([bytes]));
  }
  await putPart(cache, record, index, pieces, digests);
}

/** @param received stored bytes of the file @param arrived new bytes since the last call */
export type Report = (received: number, arrived: number) => void;

/**
 * Checks the stored parts by their digests, and fetches the missing and the damaged ones.
 *
 * @returns the digest of the file and the indices of the fetched parts
 * @throws MarbleError `model/aborted` after the signal
 */
export async function fetchMissing(
  remote: RemoteFile,
  cache: PartCache,
  record: FileRecord,
  report: Report,
  signal: AbortSignal,
): Promise<{ digest: string; fetched: number[] }> {
  // WebCrypto hashes complete buffers only, and the file may be larger than memory.
  let hash = streamedSha256.create();
  const take = (piece: Uint8Array): void => void hash.update(piece);
  const fetched: number[] = [];
  let received = 0;
  report(received, 0);
  for (let index = 0; index < partCount(record); index += 1) {
    const [hashBefore, receivedBefore] = [hash.clone(), received];
    const part = await readPart(cache, record, index);
    const count = (piece: Uint8Array): void => {
      take(piece);
      received += piece.length;
      report(received, 0);
    };
    const isWhole = part !== null && (await holds(record, part, index, count));
    if (isWhole && !signal.aborted) continue; // the next read throws after the signal
    [hash, received] = [hashBefore, receivedBefore];
    await fetchPart(remote, cache, record, index, take, (bytes) => {
      received += bytes;
      report(received, bytes);
    });
    fetched.push(index);
  }
  return { digest: bytesToHex(hash.digest()), fetched };
}
