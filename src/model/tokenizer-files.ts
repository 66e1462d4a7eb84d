/** A tokenizer from the files that stand beside a model's weights. */
import { openSource, type ModelFiles, type ModelSource, type OpenOptions } from './source';
import { createTokenizer, type Tokenizer } from './tokenizer';

/**
 * Reads tokenizer.json and, where they are, tokenizer_config.json and chat_template.jinja.
 *
 * @throws MarbleError `model/file-missing` without a tokenizer.json, and those of `ModelFiles` and `createTokenizer`
 */
export async function readTokenizer(files: ModelFiles): Promise<Tokenizer> {
  const has = async (name: string): Promise<string[]> => ((await files.has(name)) ? [name] : []);
  const [configNames, templateNames] = await Promise.all([
    has('tokenizer_config.json'),
    has('chat_template.jinja'),
  ]);
  const [json, [config], [template]] = await Promise.all([
    files.json('tokenizer.json'),
    Promise.all(configNames.map((name) => files.json(name))),
    Promise.all(templateNames.map((name) => files.text(name))),
  ]);
  return createTokenizer(json, config, template);
}

/** Opens a source for its tokenizer only. @throws MarbleError those of `openSource` and `readTokenizer` */
export async function loadTokenizer(source: ModelSource, options?: OpenOptions): Promise<Tokenizer> {
  return readTokenizer(await openSource(source, options));
}
