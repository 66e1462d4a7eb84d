/** Reads a tokenizer from a model's files. */
import { MarbleError } from '../../base/error';
import { openSource, type ModelFiles, type ModelSource, type OpenOptions } from '../source/source';
import { configuredTemplate, createTokenizer, namedTokens, type Tokenizer } from './tokenizer';

/**
 * Reads tokenizer.json and, if they exist, tokenizer_config.json and chat_template.jinja. The latter has precedence over the
 * template in tokenizer_config.json.
 *
 * @param embeddingRows number of rows of the model's embedding, an upper limit for token ids
 * @throws MarbleError `model/file-missing` without a tokenizer.json, `model/tokenizer-vocabulary` for more tokens than
 *   `embeddingRows`, and errors of `ModelFiles`, `createTokenizer` and `parseChatTemplate`
 */
export async function readTokenizer(files: ModelFiles, embeddingRows = Infinity): Promise<Tokenizer> {
  const ifAny = async <T>(name: string, read: (name: string) => Promise<T>): Promise<T | null> =>
    (await files.has(name)) ? read(name) : null;
  const [json, config, template] = await Promise.all([
    files.json('tokenizer.json'),
    ifAny('tokenizer_config.json', files.json),
    ifAny('chat_template.jinja', files.text),
  ]);
  const source = template ?? configuredTemplate(config);
  // Models without a template, such as the embedded ones, do not load the interpreter.
  const parser = source === null ? null : await import('./parse-chat-template');
  const chat = parser?.parseChatTemplate(source!, namedTokens(config)) ?? null;
  const tokenizer = createTokenizer(json, config, chat);
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
