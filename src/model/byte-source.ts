/** Where the bytes of a file come from: a file of the visitor, a buffer, a server that answers Range requests. */
import { MarbleError } from '../error';

export interface ByteSource {
  /** Bytes in the whole file. */
  readonly size: number;
  /**
   * Bytes [start, end) as a copy of the caller's own, at offset 0 of its buffer. Rejects with a `MarbleError` when they
   * cannot be had in full.
   */
  read(start: number, end: number): Promise<Uint8Array>;
}

/** @throws MarbleError `model/range` when [start, end) is no part of a file of `size` bytes */
export function checkRange(start: number, end: number, size: number): void {
  if (!Number.isSafeInteger(start) || !Number.isSafeInteger(end) || start < 0 || end < start || end > size) {
    throw new MarbleError(
      'model/range',
      `Bytes ${start} to ${end} were asked for in a file of ${size} bytes.`,
      'The file is shorter than its own description: fetch it again.',
    );
  }
}

/** A file or blob. Slices are read from where the browser keeps them, so the whole is never in memory. */
export function blobSource(blob: Blob): ByteSource {
  return {
    size: blob.size,
    async read(start, end) {
      checkRange(start, end, blob.size);
      let bytes: Uint8Array;
      try {
        bytes = new Uint8Array(await blob.slice(start, end).arrayBuffer());
      } catch (cause) {
        throw new MarbleError(
          'model/file-unreadable',
          `A file of ${blob.size} bytes can no longer be read: it was moved, changed or its permission ended.`,
          'Choose the file again.',
          { cause },
        );
      }
      return bytes;
    },
  };
}

export function bufferSource(buffer: ArrayBuffer | Uint8Array): ByteSource {
  const bytes = buffer instanceof Uint8Array ? buffer : new Uint8Array(buffer);
  return {
    size: bytes.byteLength,
    read(start, end) {
      return Promise.resolve().then(() => {
        checkRange(start, end, bytes.byteLength);
        return bytes.slice(start, end);
      });
    },
  };
}
