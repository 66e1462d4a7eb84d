/** A model's or an adapter's few files as one zip archive, to take away and to bring back. */
import { strFromU8, unzipSync, zipSync } from 'fflate';
import { MarbleError } from '../../base/error';

/** The largest archive that is opened, in bytes, packed and unpacked: an adapter, or an embedded model. */
const LARGEST_ARCHIVE = 512 * 1024 * 1024;
const MOST_FILES = 64;
/** Bytes that a byte of an archive may become: logs and settings become 20, weights 1. */
const MOST_UNFOLDED = 200;

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
  const most = Math.min(LARGEST_ARCHIVE, MOST_UNFOLDED * archive.size);
  let unpacked = 0;
  let count = 0;
  let entries: Record<string, Uint8Array>;
  try {
    const packed = new Uint8Array(await archive.arrayBuffer());
    entries = unzipSync(packed, {
      filter: ({ name, originalSize }) => {
        if (!wanted(name, originalSize)) return false;
        unpacked += originalSize;
        count += 1;
        if (unpacked > most || count > mostFiles) {
          throw refuse(`The archive unpacks to more than ${mostFiles} files or ${most} bytes.`);
        }
        return !name.endsWith('/') && name !== '__proto__';
      },
    });
    // An archive that says too small a size is unpacked to that size, without a word.
    const checksums = checksumsOf(packed);
    for (const [name, bytes] of Object.entries(entries)) {
      if (crc32(bytes) !== checksums.get(name)) throw refuse(`“${name}” in the archive is damaged.`);
    }
  } catch (thrown) {
    if (thrown instanceof MarbleError) throw thrown;
    throw refuse('The file is no zip archive, or it is damaged.', thrown);
  }
  return Object.fromEntries(
    Object.entries(entries).map(([name, bytes]) => [name, new Blob([bytes as Uint8Array<ArrayBuffer>])]),
  );
}

/** CRC-32 of each file by its path, from the directory at the archive's end (APPNOTE.TXT 4.3.12 and 4.3.16). */
function checksumsOf(packed: Uint8Array): Map<string, number> {
  const view = new DataView(packed.buffer, packed.byteOffset, packed.byteLength);
  let end = packed.length - 22;
  while (view.getUint32(end, true) !== 0x06054b50) end -= 1;
  const found = new Map<string, number>();
  let at = view.getUint32(end + 16, true);
  for (let left = view.getUint16(end + 10, true); left > 0; left -= 1) {
    const [name, extra, comment] = [28, 30, 32].map((offset) => view.getUint16(at + offset, true));
    const isUtf8 = (view.getUint16(at + 8, true) & 0x800) !== 0;
    found.set(strFromU8(packed.subarray(at + 46, at + 46 + name), !isUtf8), view.getUint32(at + 16, true));
    at += 46 + name + extra + comment;
  }
  return found;
}

const crcTable = Uint32Array.from({ length: 256 }, (_, byte) => {
  let rest = byte;
  for (let bit = 0; bit < 8; bit += 1) rest = rest & 1 ? (rest >>> 1) ^ 0xedb88320 : rest >>> 1;
  return rest;
});

/** Of ISO 3309, as zip archives have it. */
function crc32(bytes: Uint8Array): number {
  let rest = 0xffffffff;
  for (const byte of bytes) rest = (rest >>> 8) ^ crcTable[(rest ^ byte) & 0xff];
  return ~rest >>> 0;
}
