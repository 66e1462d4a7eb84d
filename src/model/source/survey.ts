/** The files that loading a model would fetch, with their sizes, determined before any weights are fetched. */
import { SHARD_INDEX, shardsOf, SINGLE_FILE } from '../files/weights-reader';
import type { ModelFiles } from './source';

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
