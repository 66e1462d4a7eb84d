/** A tokenizer from the files that stand beside a model's weights. */
import { MarbleError } from '../../base/error';
import { openSource, type ModelFiles, type ModelSource, type OpenOptions } from '../source/source';
import { createTokenizer, templateTextOf, type Tokenizer } from './tokenizer';

/**
 * Reads tokenizer.json and, where they are, tokenizer_config.json and chat_template.jinja.
 *
 * @param embeddingRows of the model that the tokens are for: every id must have one
 * @throws MarbleError `model/file-missing` without a tokenizer.json, `model/tokenizer-vocabulary` for one with more
 *   tokens than the model, and those of `ModelFiles` and `createTokenizer`
 */
export async function readTokenizer(files: ModelFiles, embeddingRows = Infinity): Promise<Tokenizer> {
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
  // Models without a template, the embedded ones among them, need no interpreter.
  const parse =
    templateTextOf(config, template) === null
      ? undefined
      : (await import('./parse-chat-template')).parseChatTemplate;
  const tokenizer = createTokenizer(json, config, template, parse);
  if (tokenizer.vocabularySize > embeddingRows) {
    throw new MarbleError(
      'model/tokenizer-vocabulary',
      `tokenizer.json in ${files.label} has ${tokenizer.vocabularySize} tokens; the model has ${embeddingRows}.`,
      'The tokenizer belongs to another model: take all files from one repository and revision.',
    );
  }
  return tokenizer;
}

/** Opens a source for its tokenizer only. @throws MarbleError those of `openSource` and `readTokenizer` */
export async function loadTokenizer(source: ModelSource, options?: OpenOptions): Promise<Tokenizer> {
  return readTokenizer(await openSource(source, options));
}
