/** The download of one file into its parts: what is missing, in order. */
import type { RemoteFile } from '../../model/source/remote-source';
import { sha256 } from '../../base/digest';
import { createSha256 } from '../../base/sha256';
import { partCount, piecesOf, putPart, readPart, type FileRecord, type PartCache } from './weight-parts';

/** Pieces that are asked for at once. */
const REQUESTS = 4;

/**
 * Fetches one part by several requests at once and keeps it.
 *
 * @param before - state of the file's SHA-256 before this part
 * @returns the state behind it; behind the last part the digest
 */
export async function fetchPart(
  remote: RemoteFile,
  cache: PartCache,
  record: FileRecord,
  index: number,
  before: string | undefined,
  arrived: (bytes: number) => void,
): Promise<string> {
  const waiting = piecesOf(record, index);
  const reads: Promise<Uint8Array>[] = [];
  const readNext = (): void => {
    const [start, end] = waiting.shift() ?? [0, 0];
    if (end === 0) return;
    const read = remote.read(start, end, arrived);
    read.catch(() => undefined); // the first failure is thrown below
    reads.push(read);
  };
  for (let count = 0; count < REQUESTS; count++) readNext();
  const hash = createSha256(before);
  const pieces: Blob[] = [];
  const digests: string[] = [];
  while (reads.length > 0) {
    // Taken off the list and put into a blob, which is the browser's: the page holds a piece no longer than it must.
    const bytes = (await reads.shift()!) as Uint8Array<ArrayBuffer>;
    readNext();
    digests.push(await sha256(bytes));
    hash.update(bytes);
    pieces.push(new Blob([bytes]));
  }
  const state = index + 1 === partCount(record) ? hash.digest() : hash.state();
  await putPart(cache, record, index, pieces, digests, state);
  return state;
}

/** Bytes of the file that are here, and those that have just come. */
export type Report = (received: number, arrived: number) => void;

/** Goes on behind the parts that are here. @returns the digest of the file, and the parts that were fetched now */
export async function fetchMissing(
  remote: RemoteFile,
  cache: PartCache,
  record: FileRecord,
  report: Report,
): Promise<{ digest: string; fetched: number[] }> {
  let state = createSha256().digest(); // of an empty file
  let index = 0;
  for (; index < partCount(record); index += 1) {
    const part = await readPart(cache, record, index);
    if (part === null) break;
    state = part.state;
  }
  let received = Math.min(record.size, index * record.sizes.part);
  report(received, 0);
  const fetched: number[] = [];
  for (; index < partCount(record); index += 1) {
    state = await fetchPart(remote, cache, record, index, index === 0 ? undefined : state, (bytes) => {
      received += bytes;
      report(received, bytes);
    });
    fetched.push(index);
  }
  return { digest: state, fetched };
}

/** Pieces that are fetched twice where nothing else tells a file from the one that came into its place. */
const COMPARED = 4;

/**
 * Whether a file whose hash and version nobody tells is still the one that was begun: some of its pieces are fetched
 * once more and must be what they were. A model that was trained again differs in all of them.
 */
export async function isUnchanged(
  remote: RemoteFile,
  cache: PartCache,
  record: FileRecord,
): Promise<boolean> {
  const isTold = record.sha256 !== null || remote.isVersion(record) !== null;
  if (isTold || !remote.ranged) return true;
  for (let nth = 0; nth < COMPARED; nth += 1) {
    const index = Math.floor((nth * partCount(record)) / COMPARED);
    const part = await readPart(cache, record, index);
    const [[start, end]] = piecesOf(record, index);
    const again = (await remote.read(start, end)) as Uint8Array<ArrayBuffer>;
    if (part?.digests[0] !== (await sha256(again))) return false;
  }
  return true;
}
