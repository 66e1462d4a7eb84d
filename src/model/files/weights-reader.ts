/**
 * Reads a checkpoint: first the table of all tensors, with checks, then the bytes of single tensors or parts of them. The page
 * never holds the whole model in memory.
 */
import { about, MarbleError } from '../../base/error';
import { isRecord } from '../../base/untrusted';
import { checkRange, type ByteSource } from '../source/byte-source';
import { toFloat32 } from './half-floats';
import { readSafetensorsHeader, type TensorEntry } from './safetensors';
import type { ModelFiles } from '../source/source';

export const SINGLE_FILE = 'model.safetensors';
/** Index of a sharded checkpoint, which maps tensors to files. */
export const SHARD_INDEX = 'model.safetensors.index.json';

/** Size in bytes of a copy to the device. Until garbage collection the page holds it three times (read, filled, passed on). */
export const PART_BYTES = 2 * 1024 * 1024;

export interface WeightsReader {
  readonly tensors: ReadonlyMap<string, TensorEntry>;
  /** Total size of the tensors in bytes. */
  readonly size: number;
  /**
   * Reads the stored bytes of a tensor, or its bytes [begin, end). The result is a copy at offset 0 of a buffer whose length is
   * padded with zeros to a multiple of 4, as WebGPU's writes require.
   */
  read(name: string, begin?: number, end?: number): Promise<Uint8Array<ArrayBuffer>>;
  /** Reads a whole tensor as float32. */
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

/** Valid name of a shard in the folder of the index: no folders and no leading dots. */
const SHARD_NAME = /^[A-Za-z0-9_-][A-Za-z0-9._-]{0,199}\.safetensors$/;
const MOST_SHARDS = 1000;

function refuse(message: string): MarbleError {
  return new MarbleError(
    'model/shard-index',
    `${SHARD_INDEX}: ${message}`,
    'The index is damaged: fetch the model again, or choose a revision with complete files.',
  );
}

/**
 * @param json result of `JSON.parse` for the file
 * @returns a map from tensor name to file name
 * @throws MarbleError `model/shard-index`
 */
export function parseShardIndex(json: unknown): Map<string, string> {
  if (!isRecord(json) || !isRecord(json.weight_map)) {
    throw refuse('there is no weight_map.');
  }
  const files = new Map<string, string>();
  for (const [tensor, file] of Object.entries(json.weight_map)) {
    if (tensor === '__proto__' || typeof file !== 'string' || !SHARD_NAME.test(file)) {
      const fileText = JSON.stringify(file) ?? 'nothing';
      throw refuse(
        `${JSON.stringify(tensor.slice(0, 100))} has the invalid file name ${fileText.slice(0, 100)}.`,
      );
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
 * Reads the map from tensors to files; null for a single file.
 *
 * @throws MarbleError `model/no-weights` without a weights file and an index, and errors of `parseShardIndex`
 */
export async function shardsOf(files: ModelFiles): Promise<ReadonlyMap<string, string> | null> {
  if (await files.has(SINGLE_FILE)) return null;
  if (await files.has(SHARD_INDEX)) return parseShardIndex(await files.json(SHARD_INDEX));
  throw new MarbleError(
    'model/no-weights',
    `There is neither ${SINGLE_FILE} nor ${SHARD_INDEX} in ${files.label}.`,
    'Choose a model with safetensors weights; pickled .bin files are not supported.',
  );
}

/**
 * Opens `model.safetensors`, or the shards in `model.safetensors.index.json`, and checks every header.
 *
 * @throws MarbleError errors of `shardsOf` and `readSafetensorsHeader`
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
      `${SHARD_INDEX} maps ${JSON.stringify(name)} to ${file}, which does not contain it.`,
      'The files belong to different revisions: fetch all files from one revision.',
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
