/** The files that loading a model would fetch, with their sizes, determined before any weights are fetched. */
import { parseModelConfig, type ModelConfig } from '../config';
import { SHARD_INDEX, shardsOf, SINGLE_FILE } from '../files/weights-reader';
import type { ModelFiles } from './source';

interface SurveyedFile {
  name: string;
  size: number;
  sha256: string | null;
  /** True for weights, which are stored in parts. Other files have at most a few megabytes. */
  weights: boolean;
}

export interface ModelSurvey {
  config: ModelConfig;
  /** All files that loading fetches. */
  files: SurveyedFile[];
  bytes: number;
}

const SMALL_FILES = ['config.json', 'tokenizer.json', 'tokenizer_config.json', 'chat_template.jinja'];

/**
 * Reads config.json and the index of shards, and looks up the sizes of the other files.
 *
 * @throws MarbleError errors of `parseModelConfig`, `shardsOf` and `ModelFiles`
 */
export async function surveyModel(files: ModelFiles): Promise<ModelSurvey> {
  const config = parseModelConfig(await files.json('config.json'));
  const { container } = files;
  const shards = await shardsOf(files);
  const weights = shards === null ? [container ?? SINGLE_FILE] : [...new Set(shards.values())];
  const small = container === null ? SMALL_FILES : [];
  const surveyed: SurveyedFile[] = [];
  for (const name of [...small, ...(shards === null ? [] : [SHARD_INDEX]), ...weights]) {
    if (!weights.includes(name) && !(await files.has(name))) continue;
    const listed = files.listing?.get(name) ?? { size: (await files.bytes(name)).size, sha256: null };
    surveyed.push({ name, ...listed, weights: weights.includes(name) });
  }
  return { config, files: surveyed, bytes: surveyed.reduce((sum, { size }) => sum + size, 0) };
}
