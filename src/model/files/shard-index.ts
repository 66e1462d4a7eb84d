/** `model.safetensors.index.json`: which file of a checkpoint in several files holds which tensor. */
import { MarbleError } from '../../base/error';
import { isRecord } from '../../base/untrusted';

export const SHARD_INDEX = 'model.safetensors.index.json';

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
