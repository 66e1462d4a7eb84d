/**
 * A checkpoint on its way to the GPU: the table of its tensors, checked whole, then their bytes one tensor or one part of
 * a tensor at a time, so that the page never holds the model.
 */
import { MarbleError } from '../../base/error';
import { checkRange, type ByteSource } from '../source/byte-source';
import { toFloat32 } from './half-floats';
import { readSafetensorsHeader, type TensorEntry } from './safetensors';
import { parseShardIndex, SHARD_INDEX } from './shard-index';
import type { ModelFiles } from '../source/source';

export const SINGLE_FILE = 'model.safetensors';

/** Bytes that go to the device at once. They are in the page three times over (read, filled, handed on) until the collector comes. */
export const PART_BYTES = 2 * 1024 * 1024;

export interface WeightsReader {
  readonly tensors: ReadonlyMap<string, TensorEntry>;
  /** Bytes of all tensors together. */
  readonly size: number;
  /**
   * A tensor's bytes as stored, or those from `begin` to `end` within it. A copy at offset 0 of a buffer whose length
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

async function singlePlaces(source: ByteSource): Promise<Map<string, Place>> {
  const tensors = await readSafetensorsHeader(source);
  return new Map([...tensors].map(([name, entry]) => [name, { entry, source }]));
}

async function shardPlaces(
  files: ModelFiles,
  index: ReadonlyMap<string, string>,
): Promise<Map<string, Place>> {
  const places = new Map<string, Place>();
  for (const file of new Set(index.values())) {
    const source = await files.bytes(file);
    const tensors = await readSafetensorsHeader(source);
    for (const [name, entry] of tensors) {
      if (index.get(name) === file) places.set(name, { entry, source });
    }
  }
  for (const [name, file] of index) {
    if (!places.has(name)) {
      throw new MarbleError(
        'model/shard-index',
        `${SHARD_INDEX} says that ${JSON.stringify(name)} is in ${file}, and it is not there.`,
        'The files belong to different revisions: fetch all of them from one.',
      );
    }
  }
  return places;
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
  const places =
    index === null ? await singlePlaces(await files.bytes(SINGLE_FILE)) : await shardPlaces(files, index);
  const place = (name: string): Place => {
    const found = places.get(name);
    if (found === undefined) {
      throw new MarbleError(
        'model/tensor-missing',
        `The checkpoint has no tensor ${name}.`,
        'Check the table of tensors against config.json before reading.',
      );
    }
    return found;
  };
  const read: WeightsReader['read'] = async (name, begin = 0, end) => {
    const { entry, source } = place(name);
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
      return toFloat32(await read(name), place(name).entry.dtype);
    },
  };
}
