/** Zip archives of the files of a model or adapter. */
import { strFromU8, unzipSync, zipSync, type Zippable } from 'fflate';
import { MarbleError } from '../../base/error';

/** Limit in bytes on an archive, compressed and decompressed. */
const LARGEST_ARCHIVE = 512 * 1024 * 1024;
const MOST_FILES = 64;
/** Largest accepted compression ratio. Logs and settings have about 20, weights 1. */
const LARGEST_RATIO = 200;

function refuse(message: string, cause?: unknown): MarbleError {
  return new MarbleError(
    'model/zip',
    message,
    'Choose a zip archive from Marble or PEFT, or unpack it and choose its files.',
    { cause },
  );
}

/** Packs files. The archive has a fixed date, so equal files give equal bytes. */
export async function zipFiles(files: Record<string, Blob>): Promise<Blob> {
  const entries: Zippable = {};
  for (const [name, blob] of Object.entries(files)) {
    // Compression does not shrink weights.
    entries[name] = [
      new Uint8Array(await blob.arrayBuffer()),
      { level: name.endsWith('.safetensors') ? 0 : 6 },
    ];
  }
  return new Blob([zipSync(entries, { mtime: '1980-01-01T12:00:00' })], { type: 'application/zip' });
}

/**
 * Unpacks the files of an archive, by path.
 *
 * @throws MarbleError `model/zip` if the file is not a valid archive or exceeds the limits
 */
export async function unzipFiles(archive: Blob): Promise<Record<string, Blob>> {
  if (archive.size > LARGEST_ARCHIVE) {
    throw refuse(`The archive has ${archive.size} bytes; at most ${LARGEST_ARCHIVE} are opened.`);
  }
  const most = Math.min(LARGEST_ARCHIVE, LARGEST_RATIO * archive.size);
  let unpacked = 0;
  let count = 0;
  let entries: Record<string, Uint8Array>;
  try {
    const packed = new Uint8Array(await archive.arrayBuffer());
    entries = unzipSync(packed, {
      filter: ({ name, originalSize }) => {
        unpacked += originalSize;
        count += 1;
        if (unpacked > most || count > MOST_FILES) {
          throw refuse(`The archive unpacks to more than ${MOST_FILES} files or ${most} bytes.`);
        }
        return !name.endsWith('/') && name !== '__proto__';
      },
    });
    // fflate silently truncates a file whose size in the directory is too small.
    const checksums = checksumsOf(packed);
    for (const [name, bytes] of Object.entries(entries)) {
      if (crc32(bytes) !== checksums.get(name)) throw refuse(`“${name}” in the archive is damaged.`);
    }
  } catch (thrown) {
    if (thrown instanceof MarbleError) throw thrown;
    throw refuse('The file is not a zip archive, or it is damaged.', thrown);
  }
  return Object.fromEntries(
    Object.entries(entries).map(([name, bytes]) => [name, new Blob([bytes as Uint8Array<ArrayBuffer>])]),
  );
}

/** Reads the CRC-32 of each file, by path, from the central directory (APPNOTE.TXT 4.3.12 and 4.3.16). */
function checksumsOf(packed: Uint8Array): Map<string, number> {
  const view = new DataView(packed.buffer, packed.byteOffset, packed.byteLength);
  let end = packed.length - 22;
  while (view.getUint32(end, true) !== 0x06054b50) end -= 1;
  const checksums = new Map<string, number>();
  let at = view.getUint32(end + 16, true);
  for (let left = view.getUint16(end + 10, true); left > 0; left -= 1) {
    const [name, extra, comment] = [28, 30, 32].map((offset) => view.getUint16(at + offset, true));
    const isUtf8 = (view.getUint16(at + 8, true) & 0x800) !== 0;
    checksums.set(
      strFromU8(packed.subarray(at + 46, at + 46 + name), !isUtf8),
      view.getUint32(at + 16, true),
    );
    at += 46 + name + extra + comment;
  }
  return checksums;
}

const crcTable = Uint32Array.from({ length: 256 }, (_, byte) => {
  let rest = byte;
  for (let bit = 0; bit < 8; bit += 1) rest = rest & 1 ? (rest >>> 1) ^ 0xedb88320 : rest >>> 1;
  return rest;
});

/** CRC-32 of ISO 3309, as in zip archives. */
function crc32(bytes: Uint8Array): number {
  let rest = 0xffffffff;
  for (const byte of bytes) rest = (rest >>> 8) ^ crcTable[(rest ^ byte) & 0xff];
  return ~rest >>> 0;
}
