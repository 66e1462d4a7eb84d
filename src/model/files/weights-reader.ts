/**
 * A checkpoint on its way to the GPU: the table of its tensors, checked whole, then their bytes one tensor or one part of
 * a tensor at a time, so that the page never holds the model.
 */
import { about, MarbleError } from '../../base/error';
import { isRecord } from '../../base/untrusted';
import { checkRange, type ByteSource } from '../source/byte-source';
import { toFloat32 } from './half-floats';
import { readSafetensorsHeader, type TensorEntry } from './safetensors';
import type { ModelFiles } from '../source/source';

export const SINGLE_FILE = 'model.safetensors';
/** Says which file of a checkpoint in several files holds which tensor. */
export const SHARD_INDEX = 'model.safetensors.index.json';

/** Bytes that go to the device at once. They are in the page three times over (read, filled, handed on) until the collector comes. */
export const PART_BYTES = 2 * 1024 * 1024;

export interface WeightsReader {
  readonly tensors: ReadonlyMap<string, TensorEntry>;
  /** Bytes of all tensors together. */
  readonly size: number;
  /**
   * The bytes of one of `tensors` as stored, or those from `begin` to `end` within it. A copy at offset 0 of a buffer whose length
   * is the next multiple of 4, filled with zeros, as WebGPU's writes want it.
   */
  read(name: string, begin?: number, end?: number): Promise<Uint8Array<ArrayBuffer>>;
  /** The whole tensor as 32-bit floats. */
  readFloat32(name: string): Promise<Float32Array<ArrayBuffer>>;
}

interface Place {
  entry: TensorEntry;
  source: ByteSource;
}

function padded(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  const length = Math.ceil(bytes.byteLength / 4) * 4;
  if (bytes.buffer instanceof ArrayBuffer && bytes.byteOffset === 0 && bytes.buffer.byteLength === length) {
    return bytes as Uint8Array<ArrayBuffer>;
  }
  const copy = new Uint8Array(new ArrayBuffer(length), 0, bytes.byteLength);
  copy.set(bytes);
  return copy;
}

/** A shard stands beside its index: a plain file name, no folders, no dots in front. */
const SHARD_NAME = /^[A-Za-z0-9_-][A-Za-z0-9._-]{0,199}\.safetensors$/;
const MOST_SHARDS = 1000;

function refuse(message: string): MarbleError {
  return new MarbleError(
    'model/shard-index',
    `${SHARD_INDEX}: ${message}`,
    'The index is damaged: fetch the model again, or take a revision whose files are complete.',
  );
}

/**
 * @param json what `JSON.parse` made of the file
 * @returns tensor name to file name
 * @throws MarbleError `model/shard-index`
 */
export function parseShardIndex(json: unknown): Map<string, string> {
  if (!isRecord(json) || !isRecord(json.weight_map)) {
    throw refuse('there is no weight_map.');
  }
  const files = new Map<string, string>();
  for (const [tensor, file] of Object.entries(json.weight_map)) {
    if (tensor === '__proto__' || typeof file !== 'string' || !SHARD_NAME.test(file)) {
      const shown = JSON.stringify(file) ?? 'nothing';
      throw refuse(`${JSON.stringify(tensor.slice(0, 100))} is said to be in ${shown.slice(0, 100)}.`);
    }
    files.set(tensor, file);
  }
  const shards = new Set(files.values()).size;
  if (shards < 1 || shards > MOST_SHARDS) {
    throw refuse(`${shards} files are named; 1 to ${MOST_SHARDS} are read.`);
  }
  return files;
}

/**
 * Which file has which tensor; null where one file has all.
 *
 * @throws MarbleError `model/no-weights` when there is neither, and those of `parseShardIndex`
 */
export async function shardsOf(files: ModelFiles): Promise<ReadonlyMap<string, string> | null> {
  if (await files.has(SINGLE_FILE)) return null;
  if (await files.has(SHARD_INDEX)) return parseShardIndex(await files.json(SHARD_INDEX));
  throw new MarbleError(
    'model/no-weights',
    `There is neither ${SINGLE_FILE} nor ${SHARD_INDEX} in ${files.label}.`,
    'Choose a model whose weights are safetensors files; pickled .bin files are not opened.',
  );
}

/**
 * Opens `model.safetensors`, or the shards that `model.safetensors.index.json` names, and checks every header.
 *
 * @throws MarbleError those of `shardsOf` and `readSafetensorsHeader`
 */
export async function openWeights(files: ModelFiles): Promise<WeightsReader> {
  const index = await shardsOf(files);
  const places = new Map<string, Place>();
  for (const file of index === null ? [SINGLE_FILE] : new Set(index.values())) {
    const source = await files.bytes(file);
    const header = await readSafetensorsHeader(source).catch((thrown: unknown) => {
      throw about(file, thrown);
    });
    for (const [name, entry] of header) {
      if (index === null || index.get(name) === file) places.set(name, { entry, source });
    }
  }
  for (const [name, file] of index ?? []) {
    if (places.has(name)) continue;
    throw new MarbleError(
      'model/shard-index',
      `${SHARD_INDEX} says that ${JSON.stringify(name)} is in ${file}, and it is not there.`,
      'The files belong to different revisions: fetch all of them from one.',
    );
  }
  const read: WeightsReader['read'] = async (name, begin = 0, end) => {
    const { entry, source } = places.get(name)!;
    const size = entry.end - entry.begin;
    checkRange(begin, end ?? size, size);
    return padded(await source.read(entry.begin + begin, entry.begin + (end ?? size)));
  };
  const tensors = new Map([...places].map(([name, { entry }]) => [name, entry]));
  return {
    tensors,
    size: [...tensors.values()].reduce((sum, { begin, end }) => sum + end - begin, 0),
    read,
    async readFloat32(name) {
      return toFloat32(await read(name), places.get(name)!.entry.dtype);
    },
  };
}
