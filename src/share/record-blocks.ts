/**
 * Records as lines of JSON in blocks of about a megabyte, each compressed by itself, with its lengths and SHA-256: however
 * many there are, no text is longer than a block, on the way out and on the way in.
 *
 * Numbers that are not finite, which JSON cannot write, stand as {"$number": "NaN"}.
 */
import { sha256 } from '../base/digest';
import { MarbleError } from '../base/error';
import { readWithin } from '../base/read-within';

/** What is written of a block beside the others' in the manifest. */
export interface Block {
  /** Bytes of its text. */
  length: number;
  /** Bytes that it takes in the file, compressed by gzip; left out where it stands there as it is. */
  packed?: number;
  /** Of what stands in the file; 64 hexadecimal digits. */
  sha256: string;
}

/**
 * A text that shrinks to less than this part of itself stands as it is, and a file that promises more is refused: so what
 * a file unfolds to is bounded by what it weighs. Completions that are all alike shrink to about a fiftieth.
 */
const MOST_UNFOLDED = 200;

/** A block is ended behind the record that makes it as long as this. */
const USUAL_LENGTH = 2 ** 20;
/** One record can be longer, a sample with a long prompt and every statement of it judged; no more is read at once. */
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
    const named = typeof part === 'object' && part !== null && '$number' in part ? part.$number : null;
    return named === 'NaN' || named === 'Infinity' || named === '-Infinity' ? Number(named) : part;
  });
}

/** One record a line, in their order. @throws MarbleError `share/too-big` for a record that could not be read again */
export async function writeBlocks(
  records: Iterable<unknown> | AsyncIterable<unknown>,
): Promise<{ blocks: Block[]; parts: Blob[] }> {
  const blocks: Block[] = [];
  const parts: Blob[] = [];
  let lines: string[] = [];
  let length = 0;
  const end = async (): Promise<void> => {
    const bytes = new TextEncoder().encode(lines.join(''));
    if (bytes.length > LONGEST_BLOCK) {
      throw new MarbleError(
        'share/too-big',
        `A record of this run takes ${bytes.length} bytes; at most ${LONGEST_BLOCK} could be read again.`,
        'Save its metrics and rollouts as CSV instead.',
      );
    }
    const packed = await gzipped(bytes);
    const isPacked = packed.length < bytes.length && bytes.length <= MOST_UNFOLDED * packed.length;
    const part = isPacked ? packed : bytes;
    blocks.push({
      length: bytes.length,
      ...(isPacked && { packed: packed.length }),
      sha256: await sha256(part),
    });
    parts.push(new Blob([part])); // the browser's from here on
    lines = [];
    length = 0;
  };
  for await (const record of records) {
    const line = `${writeJson(record)}\n`;
    lines.push(line);
    length += line.length;
    if (length >= USUAL_LENGTH) await end();
  }
  if (lines.length > 0) await end();
  return { blocks, parts };
}

/**
 * The records of blocks that stand one behind the other, each block checked before anything of it is given out.
 *
 * @param start where the first block begins in the file
 * @yields each record, and the characters that it has as JSON
 * @throws MarbleError `share/bad-file`
 */
export async function* readBlocks(
  file: Blob,
  start: number,
  blocks: readonly Block[],
): AsyncGenerator<{ record: unknown; length: number }, void, void> {
  let offset = start;
  for (const { length, packed, sha256: hash } of blocks) {
    if (length > LONGEST_BLOCK) {
      throw badFile(`A block of records takes ${length} bytes; at most ${LONGEST_BLOCK} are read.`);
    }
    if (packed !== undefined && length > MOST_UNFOLDED * packed) {
      throw badFile(
        `A block of ${packed} bytes is said to unfold to ${length}; at most ${MOST_UNFOLDED} times as many are read.`,
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

/** Bytes of a file, held to their hash. @throws MarbleError `share/bad-file` */
export async function bytesAt(
  file: Blob,
  start: number,
  length: number,
  hash: string,
  what = 'records',
): Promise<ArrayBuffer> {
  const bytes = await file.slice(start, start + length).arrayBuffer();
  if (bytes.byteLength === length && (await sha256(bytes)) === hash) return bytes;
  throw badFile(`The file is cut off or damaged: the hash of its ${what} does not hold.`);
}

export function lengthOf(blocks: readonly Block[]): number {
  return blocks.reduce((total, { length }) => total + length, 0);
}

/** Bytes that they take in the file. */
export function storedLengthOf(blocks: readonly Block[]): number {
  return blocks.reduce((total, { length, packed = length }) => total + packed, 0);
}

async function gzipped(bytes: Uint8Array<ArrayBuffer>): Promise<Uint8Array<ArrayBuffer>> {
  const stream = new Blob([bytes]).stream().pipeThrough(new CompressionStream('gzip'));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

/** Ends as soon as more comes out than was promised. @throws MarbleError `share/bad-file` */
async function unpacked(bytes: ArrayBuffer, length: number): Promise<ArrayBuffer> {
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('gzip'));
  const text = await readWithin(length, stream).catch((error: unknown) => {
    throw badFile('A block of records does not unfold.', error);
  });
  if (text === null)
    throw badFile(`A block of records unfolds to more than the ${length} bytes that it promises.`);
  if (text.length < length)
    throw badFile(`A block of records unfolds to ${text.length} bytes instead of ${length}.`);
  return text.buffer;
}

export function textOf(bytes: ArrayBuffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (error) {
    throw badFile('The records in the file are no text.', error);
  }
}

export function recordOf(text: string): unknown {
  try {
    return readJson(text);
  } catch (error) {
    throw badFile('The records in the file are no JSON.', error);
  }
}
