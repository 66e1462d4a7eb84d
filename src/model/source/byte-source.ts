/** Where the bytes of a file come from: a file of the visitor, a buffer, a server that answers Range requests. */
import { MarbleError } from '../../base/error';

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

const BLOCK_BYTES = 1024 * 1024;
const BLOCKS_KEPT = 4;

/**
 * The same file over a network, with small reads gathered: norms and biases stand beside one another, and a request for
 * each of a model's hundreds would take longer than their bytes. Reads of a block and more go through as they are.
 */
export function gatherReads(source: ByteSource): ByteSource {
  const blocks = new Map<number, Promise<Uint8Array>>();
  const block = (index: number): Promise<Uint8Array> => {
    const start = index * BLOCK_BYTES;
    const bytes = blocks.get(index) ?? source.read(start, Math.min(source.size, start + BLOCK_BYTES));
    blocks.delete(index);
    blocks.set(index, bytes);
    for (const oldest of blocks.keys()) {
      if (blocks.size > BLOCKS_KEPT) blocks.delete(oldest);
    }
    bytes.catch(() => blocks.delete(index)); // what failed is asked for anew
    return bytes;
  };
  return {
    size: source.size,
    async read(start, end) {
      checkRange(start, end, source.size);
      if (end - start >= BLOCK_BYTES) return source.read(start, end);
      const bytes = new Uint8Array(end - start);
      for (let at = start; at < end;) {
        const index = Math.floor(at / BLOCK_BYTES);
        const stop = Math.min(end, (index + 1) * BLOCK_BYTES);
        const offset = index * BLOCK_BYTES;
        bytes.set((await block(index)).subarray(at - offset, stop - offset), at - start);
        at = stop;
      }
      return bytes;
    },
  };
}
