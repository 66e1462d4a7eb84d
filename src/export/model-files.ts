/** The tokenizer's files of a model that is on a hub or at an address, as an export takes them. */
import { openSource, type ModelSource } from '../model/source/source';

export const tokenizerFiles = ['tokenizer.json', 'tokenizer_config.json', 'chat_template.jinja'];

/** @throws MarbleError those of `openSource` */
export async function fetchTokenizerFiles(source: ModelSource): Promise<Record<string, Blob>> {
  const files = await openSource(source);
  const found: Record<string, Blob> = {};
  for (const name of tokenizerFiles) {
    if (await files.has(name)) found[name] = new Blob([await files.text(name)]);
  }
  return found;
}
