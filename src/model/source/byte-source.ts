/** Random access to the bytes of a file: a local file, a blob, or a file on a server with Range requests. */
import { MarbleError } from '../../base/error';

export interface ByteSource {
  /** Size of the file in bytes. */
  readonly size: number;
  /**
   * Reads bytes [start, end) into a new array at offset 0 of its buffer. Rejects with a `MarbleError` if they cannot be read
   * completely.
   */
  read(start: number, end: number): Promise<Uint8Array>;
}

/** @throws MarbleError `model/range` if [start, end) is outside a file of `size` bytes */
export function checkRange(start: number, end: number, size: number): void {
  if (!Number.isSafeInteger(start) || !Number.isSafeInteger(end) || start < 0 || end < start || end > size) {
    throw new MarbleError(
      'model/range',
      `A read of bytes ${start} to ${end} is outside the file of ${size} bytes.`,
      'The file is shorter than its header says: fetch it again.',
    );
  }
}

/** Source for a file or blob. It reads slices from the browser's storage and never holds the whole file in memory. */
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
          `A file of ${blob.size} bytes can no longer be read: it was moved or changed, or its permission expired.`,
          'Choose the file again.',
          { cause },
        );
      }
      return bytes;
    },
  };
}

const BLOCK_BYTES = 1024 * 1024;
const BLOCKS_KEPT = 4;

/**
 * Combines small reads of a remote file into cached blocks. A model has hundreds of small norms and biases next to each other,
 * and one request for each would take longer than the transfer. Reads of at least a block pass through unchanged.
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
    bytes.catch(() => blocks.delete(index)); // the next read tries again
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
