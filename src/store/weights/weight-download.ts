/** Downloads the missing parts of a file in order. */
import { sha256 as streamedSha256 } from '@noble/hashes/sha2.js';
import { bytesToHex } from '@noble/hashes/utils.js';
import type { RemoteFile } from '../../model/source/remote-source';
import { sha256 } from '../../base/digest';
import { partCount, piecesOf, putPart, readPart, type FileRecord, type PartCache } from './weight-parts';

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

/** Fetches the parts after those in the cache. @returns the digest of the file and the indices of the fetched parts */
export async function fetchMissing(
  remote: RemoteFile,
  cache: PartCache,
  record: FileRecord,
  report: Report,
): Promise<{ digest: string; fetched: number[] }> {
  // WebCrypto hashes complete buffers only, and the file may be larger than memory.
  const hash = streamedSha256.create();
  let index = 0;
  for (; index < partCount(record); index += 1) {
    const part = await readPart(cache, record, index);
    if (part === null) break;
    for (let start = 0; start < part.blob.size; start += record.sizes.piece)
      hash.update(new Uint8Array(await part.blob.slice(start, start + record.sizes.piece).arrayBuffer()));
  }
  let received = Math.min(record.size, index * record.sizes.part);
  report(received, 0);
  const fetched: number[] = [];
  for (; index < partCount(record); index += 1) {
    const take = (piece: Uint8Array): void => void hash.update(piece);
    await fetchPart(remote, cache, record, index, take, (bytes) => {
      received += bytes;
      report(received, bytes);
    });
    fetched.push(index);
  }
  return { digest: bytesToHex(hash.digest()), fetched };
}

/** Number of pieces that are fetched twice to detect a replaced file without hash and version. */
const COMPARED = 4;

/**
 * Checks that the server did not replace a file during the download, if neither hash nor version identifies it: fetches some
 * pieces again and compares them. A retrained model differs in all pieces.
 */
export async function isUnchanged(
  remote: RemoteFile,
  cache: PartCache,
  record: FileRecord,
): Promise<boolean> {
  const isIdentified = record.sha256 !== null || remote.isVersion(record) !== null;
  if (isIdentified || !remote.ranged) return true;
  for (let nth = 0; nth < COMPARED; nth += 1) {
    const index = Math.floor((nth * partCount(record)) / COMPARED);
    const part = await readPart(cache, record, index);
    const [[start, end]] = piecesOf(record, index);
    const again = (await remote.read(start, end)) as Uint8Array<ArrayBuffer>;
    if (part?.digests[0] !== (await sha256(again))) return false;
  }
  return true;
}
