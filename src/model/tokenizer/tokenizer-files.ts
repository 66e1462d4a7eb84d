/** Reads a tokenizer from a model's files. */
import { MarbleError } from '../../base/error';
import { openSource, type ModelFiles, type ModelSource, type OpenOptions } from '../source/source';
import { createTokenizer, templateTextOf, type Tokenizer } from './tokenizer';

/**
 * Reads tokenizer.json and, if they exist, tokenizer_config.json and chat_template.jinja.
 *
 * @param embeddingRows number of rows of the model's embedding, an upper limit for token ids
 * @throws MarbleError `model/file-missing` without a tokenizer.json, `model/tokenizer-vocabulary` for more tokens than
 *   `embeddingRows`, and errors of `ModelFiles` and `createTokenizer`
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
  // Models without a template, such as the embedded ones, do not load the interpreter.
  const parse =
    templateTextOf(config, template) === null
      ? undefined
      : (await import('./parse-chat-template')).parseChatTemplate;
  const tokenizer = createTokenizer(json, config, template, parse);
  if (tokenizer.vocabularySize > embeddingRows) {
    throw new MarbleError(
      'model/tokenizer-vocabulary',
      `tokenizer.json in ${files.label} has ${tokenizer.vocabularySize} tokens; the model has ${embeddingRows}.`,
      'The tokenizer belongs to another model: use files of one repository and revision.',
    );
  }
  return tokenizer;
}

/** Opens a source and reads only its tokenizer. @throws MarbleError errors of `openSource` and `readTokenizer` */
export async function loadTokenizer(source: ModelSource, options?: OpenOptions): Promise<Tokenizer> {
  return readTokenizer(await openSource(source, options));
}
