/**
 * Opens a checkpoint, and lists the files that loading a model would fetch. Tensors are read later, one by one, so that the page
 * never holds the whole model in memory.
 */
import { about, MarbleError } from '../../base/error';
import { isRecord } from '../../base/untrusted';
import { elementsOf, openSafetensors, type Checkpoint, type StoredTensor } from './safetensors';
import type { ModelConfig } from '../config';
import { toFloat32 } from './half-floats';
import type { ModelFiles } from '../source/source';

const SINGLE_FILE = 'model.safetensors';
/** Index of a sharded checkpoint, which maps tensors to files. */
const SHARD_INDEX = 'model.safetensors.index.json';

/** Size in bytes of a copy to the device. Until garbage collection the page holds it three times (read, filled, passed on). */
export const PART_BYTES = 2 * 1024 * 1024;

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
    if (typeof file !== 'string' || !SHARD_NAME.test(file)) {
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
async function shardsOf(files: ModelFiles): Promise<ReadonlyMap<string, string> | null> {
  if (await files.has(SINGLE_FILE)) return null;
  if (await files.has(SHARD_INDEX)) return parseShardIndex(await files.json(SHARD_INDEX));
  throw new MarbleError(
    'model/no-weights',
    `There is neither ${SINGLE_FILE} nor ${SHARD_INDEX} in ${files.label}.`,
    'Choose a model with safetensors weights; pickled .bin files are not supported.',
  );
}

/**
 * Opens `model.safetensors`, the shards in `model.safetensors.index.json`, or a GGUF file, and checks every header.
 *
 * @throws MarbleError errors of `shardsOf`, `openSafetensors` and `describeGguf`
 */
export async function openWeights(files: ModelFiles): Promise<Checkpoint> {
  if (files.gguf !== null) return files.gguf.tensors();
  const index = await shardsOf(files);
  const checkpoint = new Map<string, StoredTensor>();
  for (const file of index === null ? [SINGLE_FILE] : new Set(index.values())) {
    const tensors = await openSafetensors(await files.bytes(file)).catch((thrown: unknown) => {
      throw about(file, thrown);
    });
    for (const [name, tensor] of tensors) {
      if (index === null || index.get(name) === file) checkpoint.set(name, tensor);
    }
  }
  for (const [name, file] of index ?? []) {
    if (checkpoint.has(name)) continue;
    throw new MarbleError(
      'model/shard-index',
      `${SHARD_INDEX} maps ${JSON.stringify(name)} to ${file}, which does not contain it.`,
      'The files belong to different revisions: fetch all files from one revision.',
    );
  }
  return checkpoint;
}

/** Files that are fetched if they exist. */
const SMALL_FILES = [
  ...['config.json', 'generation_config.json'],
  ...['tokenizer.json', 'tokenizer_config.json', 'chat_template.jinja'],
];

/**
 * Looks up all files that loading fetches, and the sum of their sizes.
 *
 * @throws MarbleError errors of `shardsOf` and `ModelFiles`
 */
export async function surveyModel(
  files: ModelFiles,
): Promise<{ files: { name: string; size: number }[]; bytes: number }> {
  const { gguf, listing } = files;
  const names: string[] = [];
  if (gguf !== null) names.push(gguf.name);
  else {
    for (const name of SMALL_FILES) if (await files.has(name)) names.push(name);
    const shards = await shardsOf(files);
    names.push(...(shards === null ? [SINGLE_FILE] : [SHARD_INDEX, ...new Set(shards.values())]));
  }
  const surveyed: { name: string; size: number }[] = [];
  for (const name of names) {
    surveyed.push({ name, size: (listing?.get(name) ?? (await files.bytes(name))).size });
  }
  return { files: surveyed, bytes: surveyed.reduce((sum, { size }) => sum + size, 0) };
}

const EMBEDDING = 'model.embed_tokens.weight';
const HEAD = 'lm_head.weight';

/** Compares two tensors of equal shape part by part, to limit memory. */
async function equalTensors(...pair: [StoredTensor, StoredTensor]): Promise<boolean> {
  const elements = elementsOf(pair[0]);
  const most = PART_BYTES / 4;
  for (let begin = 0; begin < elements; begin += most) {
    const end = Math.min(elements, begin + most);
    const [left, right] = await Promise.all(
      pair.map(async ({ size, dtype, read }) => {
        const bytes = size / elements;
        return toFloat32(await read(begin * bytes, end * bytes), dtype);
      }),
    );
    if (left.some((value, index) => value !== right[index])) return false;
  }
  return true;
}

/**
 * Resolves a tied head by the tensors, as transformers 5 does, since some files contradict `tie_word_embeddings`. Unties
 * it if `lm_head.weight` differs from the embedding, and reads `lm_head.weight` as the embedding if the file has no other.
 */
export async function resolveHead(
  config: ModelConfig,
  checkpoint: Checkpoint,
): Promise<{ config: ModelConfig; checkpoint: Checkpoint }> {
  const embedding = checkpoint.get(EMBEDDING);
  const head = checkpoint.get(HEAD);
  if (!config.tiedHead || head === undefined) return { config, checkpoint };
  if (embedding === undefined) return { config, checkpoint: new Map(checkpoint).set(EMBEDDING, head) };
  // A head of another shape or dtype also unties the head; `checkTensors` then rejects it.
  const comparable =
    String(head.shape) === String(embedding.shape) &&
    [head, embedding].every(({ dtype }) => ['BF16', 'F16', 'F32'].includes(dtype));
  const tiedHead = comparable && (await equalTensors(embedding, head));
  return { config: { ...config, tiedHead }, checkpoint };
}
