/**
 * Records as JSON Lines in blocks of about a megabyte. Each block is compressed separately and has its lengths and a SHA-256.
 * No string is longer than a block, both for writing and for reading.
 *
 * JSON cannot represent numbers that are not finite; they are written as {"$number": "NaN"}.
 */
import { sha256 } from '../base/digest';
import { MarbleError } from '../base/error';
import { readWithin, type BytesToRead } from '../base/read-within';

/** Description of a block in the manifest. */
export interface Block {
  /** Bytes of the text. */
  length: number;
  /** Bytes in the file, compressed by gzip; omitted for an uncompressed block. */
  packed?: number;
  /** SHA-256 of the bytes in the file; 64 hexadecimal digits. */
  sha256: string;
}

/**
 * Largest accepted compression ratio, which bounds the decompressed size by the size of the file. Text with a larger ratio is
 * stored uncompressed. Identical completions have a ratio of about 50.
 */
const LARGEST_RATIO = 200;

/** A block ends after the record with which it reaches this length in characters. */
const USUAL_LENGTH = 2 ** 20;
/** Limit in bytes on a block. A single record can exceed the usual length: a sample with a long prompt and many judged statements. */
const LONGEST_BLOCK = 64 * USUAL_LENGTH;

export function badFile(message: string, cause?: unknown): MarbleError {
  const nextStep = 'Choose a file that Marble saved, or save it again.';
  return new MarbleError('share/bad-file', message, nextStep, { cause });
}

export function writeJson(value: unknown): string {
  return JSON.stringify(value, (_, part: unknown) =>
    typeof part === 'number' && !Number.isFinite(part) ? { $number: String(part) } : part,
  );
}

export function readJson(text: string): unknown {
  if (!text.includes('"$number"')) return JSON.parse(text);
  return JSON.parse(text, (_, part: unknown) => {
    const number = typeof part === 'object' && part !== null && '$number' in part ? part.$number : null;
    return number === 'NaN' || number === 'Infinity' || number === '-Infinity' ? Number(number) : part;
  });
}

/** Takes the bytes of consecutive blocks. */
export type PutBlock = (bytes: Uint8Array<ArrayBuffer>) => Promise<void> | void;

/**
 * Writes one record per line, in order.
 *
 * @param put - takes each finished block
 * @param accept - the reader's check of a record and the number of characters of its JSON
 * @throws MarbleError `share/too-big` for a record that exceeds the limit of a reader
 */
export async function writeBlocks(
  records: Iterable<unknown> | AsyncIterable<unknown>,
  put: PutBlock,
  accept: (record: unknown, length: number) => void,
): Promise<Block[]> {
  const blocks: Block[] = [];
  let lines: string[] = [];
  let length = 0;
  const end = async (): Promise<void> => {
    const bytes = new TextEncoder().encode(lines.join(''));
    if (bytes.length > LONGEST_BLOCK) {
      throw new MarbleError(
        'share/too-big',
        `A record of this run has ${bytes.length} bytes; the limit of a run file is ${LONGEST_BLOCK}.`,
        'Save its metrics and rollouts as CSV instead.',
      );
    }
    const packed = await gzipped(bytes);
    const isPacked = packed.length < bytes.length && bytes.length <= LARGEST_RATIO * packed.length;
    const part = isPacked ? packed : bytes;
    blocks.push({
      length: bytes.length,
      ...(isPacked && { packed: packed.length }),
      sha256: await sha256(part),
    });
    await put(part);
    lines = [];
    length = 0;
  };
  for await (const record of records) {
    const line = `${writeJson(record)}\n`;
    accept(record, line.length - 1);
    lines.push(line);
    length += line.length;
    if (length >= USUAL_LENGTH) await end();
  }
  if (lines.length > 0) await end();
  return blocks;
}

/**
 * Reads the records of consecutive blocks and checks each block before it yields its first record.
 *
 * @param start offset of the first block in the file, in bytes
 * @yields each record and the number of characters of its JSON
 * @throws MarbleError `share/bad-file`
 */
export async function* readBlocks(
  file: BytesToRead,
  start: number,
  blocks: readonly Block[],
): AsyncGenerator<{ record: unknown; length: number }, void, void> {
  let offset = start;
  for (const { length, packed, sha256: hash } of blocks) {
    if (length > LONGEST_BLOCK) {
      throw badFile(`A block of records has ${length} bytes; the limit is ${LONGEST_BLOCK}.`);
    }
    if (packed !== undefined && length > LARGEST_RATIO * packed) {
      throw badFile(
        `A block of ${packed} bytes has a decompressed size of ${length} bytes; the limit is a ratio of ${LARGEST_RATIO}.`,
      );
    }
    const stored = packed ?? length;
    const bytes = await bytesAt(file, offset, stored, hash);
    offset += stored;
    const text = textOf(packed === undefined ? bytes : await unpacked(bytes, length));
    for (const line of text.split('\n')) {
      if (line !== '') yield { record: recordOf(line), length: line.length };
    }
  }
}

/** Reads bytes of a file and checks their hash. @throws MarbleError `share/bad-file` */
export async function bytesAt(
  file: BytesToRead,
  start: number,
  length: number,
  hash: string,
  what = 'records',
): Promise<ArrayBuffer> {
  const bytes = await file.slice(start, start + length).arrayBuffer();
  if (bytes.byteLength === length && (await sha256(bytes)) === hash) return bytes;
  throw badFile(`The file is truncated or damaged: its ${what} do not match their hash.`);
}

export function lengthOf(blocks: readonly Block[]): number {
  return blocks.reduce((total, { length }) => total + length, 0);
}

/** Total size of the blocks in the file, in bytes. */
export function storedLengthOf(blocks: readonly Block[]): number {
  return blocks.reduce((total, { length, packed = length }) => total + packed, 0);
}

async function gzipped(bytes: Uint8Array<ArrayBuffer>): Promise<Uint8Array<ArrayBuffer>> {
  const stream = new Blob([bytes]).stream().pipeThrough(new CompressionStream('gzip'));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

/** Decompresses a block and stops if it exceeds `length`. @throws MarbleError `share/bad-file` */
async function unpacked(bytes: ArrayBuffer, length: number): Promise<ArrayBuffer> {
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('gzip'));
  const text = await readWithin(length, stream).catch((error: unknown) => {
    throw badFile('A block of records cannot be decompressed.', error);
  });
  if (text === null)
    throw badFile(`A block of records decompresses to more than the ${length} bytes in the manifest.`);
  if (text.length < length)
    throw badFile(`A block of records decompresses to ${text.length} bytes instead of ${length}.`);
  return text.buffer;
}

export function textOf(bytes: ArrayBuffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (error) {
    throw badFile('The records in the file are not UTF-8 text.', error);
  }
}

export function recordOf(text: string): unknown {
  try {
    return readJson(text);
  } catch (error) {
    throw badFile('The records in the file are not JSON.', error);
  }
}
