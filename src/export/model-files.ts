/** The tokenizer's files of a model, as exports take them and as they give them out. */
import { MarbleError } from '../base/error';
import { openSource, type ModelSource, type OpenOptions } from '../model/source/source';

export const tokenizerFiles = ['tokenizer.json', 'tokenizer_config.json', 'chat_template.jinja'];

/**
 * @param others - small files besides those of the tokenizer
 * @throws MarbleError those of `openSource`
 */
export async function fetchTokenizerFiles(
  source: ModelSource,
  open?: OpenOptions,
  others: readonly string[] = [],
): Promise<Record<string, Blob>> {
  const files = await openSource(source, open);
  const found: Record<string, Blob> = {};
  for (const name of [...others, ...tokenizerFiles]) {
    if (await files.has(name)) found[name] = new Blob([await files.text(name)]);
  }
  return found;
}

/** @throws MarbleError `export/gguf` for a model that other trainers cannot load, and those of `openSource` */
export async function refuseGguf(source: ModelSource): Promise<void> {
  const { container } = await openSource(source);
  if (container === null) return;
  throw new MarbleError(
    'export/gguf',
    `The run trains ${container}, and neither TRL nor verl trains a GGUF file.`,
    'Choose the model with its original weights (safetensors), then export the run of that one.',
  );
}

const whole = ['config.json', 'model.safetensors', 'adapter_config.json', 'adapter_model.safetensors'];

/** All files of a small model or an adapter, read into memory. @throws MarbleError those of `openSource` */
export async function fetchWhole(source: ModelSource): Promise<Record<string, Blob>> {
  const files = await openSource(source);
  const found = await fetchTokenizerFiles(source);
  for (const name of whole) {
    if (!(await files.has(name))) continue;
    const bytes = await files.bytes(name);
    found[name] = new Blob([(await bytes.read(0, bytes.size)) as Uint8Array<ArrayBuffer>]);
  }
  return found;
}

/**
 * A model's tokenizer as a folder of its own. Transformers reads a tokenizer by the type of the model beside it; where none is,
 * by the class that is named here.
 */
export async function fastTokenizer(
  modelFiles: Readonly<Record<string, Blob>>,
): Promise<Record<string, Blob>> {
  const own = tokenizerFiles.filter((name) => Object.hasOwn(modelFiles, name));
  const named = modelFiles['tokenizer_config.json'] as Blob | undefined;
  const config = named === undefined ? {} : (JSON.parse(await named.text()) as Record<string, unknown>);
  const fast = { ...config, tokenizer_class: 'PreTrainedTokenizerFast' };
  return {
    ...Object.fromEntries(own.map((name) => [`tokenizer/${name}`, modelFiles[name]])),
    'tokenizer/tokenizer_config.json': new Blob([JSON.stringify(fast, null, 2)]),
  };
}
