/** A model's or an adapter's few files as one zip archive, to take away and to bring back. */
import { unzipSync, zipSync } from 'fflate';
import { MarbleError } from '../../base/error';

/** The largest archive that is opened, in bytes, packed and unpacked: an adapter, or an embedded model. */
const LARGEST_ARCHIVE = 512 * 1024 * 1024;
const MOST_FILES = 64;

function refuse(message: string, cause?: unknown): MarbleError {
  return new MarbleError(
    'model/zip',
    message,
    'Choose a zip that Marble or PEFT made, or unpack it and choose its files.',
    { cause },
  );
}

/** Weights do not compress, so files are stored as they are; no time of day is in the archive: same files, same bytes. */
export async function zipFiles(files: Record<string, Blob>): Promise<Blob> {
  const entries = await Promise.all(
    Object.entries(files).map(
      async ([name, blob]) => [name, new Uint8Array(await blob.arrayBuffer())] as const,
    ),
  );
  const packed = zipSync(Object.fromEntries(entries), { level: 0, mtime: '1980-01-01T12:00:00' });
  return new Blob([packed], { type: 'application/zip' });
}

/**
 * The files of an archive, by their paths in it.
 *
 * @param wanted the paths that are unpacked, by what they take then; all where left out
 * @param mostFiles of those
 * @throws MarbleError `model/zip` for what is no archive, or one that unpacks to too much
 */
export async function unzipFiles(
  archive: Blob,
  wanted: (path: string, bytes: number) => boolean = () => true,
  mostFiles = MOST_FILES,
): Promise<Record<string, Blob>> {
  if (archive.size > LARGEST_ARCHIVE) {
    throw refuse(`The archive has ${archive.size} bytes; at most ${LARGEST_ARCHIVE} are opened.`);
  }
  let unpacked = 0;
  let count = 0;
  let entries: Record<string, Uint8Array>;
  try {
    entries = unzipSync(new Uint8Array(await archive.arrayBuffer()), {
      filter: ({ name, originalSize }) => {
        if (!wanted(name, originalSize)) return false;
        unpacked += originalSize;
        count += 1;
        if (unpacked > LARGEST_ARCHIVE || count > mostFiles) {
          throw refuse(`The archive unpacks to more than ${mostFiles} files or ${LARGEST_ARCHIVE} bytes.`);
        }
        return !name.endsWith('/') && name !== '__proto__';
      },
    });
  } catch (thrown) {
    if (thrown instanceof MarbleError) throw thrown;
    throw refuse('The file is no zip archive, or it is damaged.', thrown);
  }
  return Object.fromEntries(
    Object.entries(entries).map(([name, bytes]) => [name, new Blob([bytes as Uint8Array<ArrayBuffer>])]),
  );
}
