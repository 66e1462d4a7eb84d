/** Downloads the missing parts of a file in order. */
import { sha256 as streamedSha256 } from '@noble/hashes/sha2.js';
import { bytesToHex } from '@noble/hashes/utils.js';
import type { RemoteFile } from '../../model/source/remote-source';
import { sha256 } from '../../base/digest';
import {
  holds,
  partCount,
  piecesOf,
  putPart,
  readPart,
  type FileRecord,
  type PartCache,
} from './weight-parts';

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
