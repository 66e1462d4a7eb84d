/** Model and tokenizer files for exports. */
import { MarbleError } from '../base/error';
import { openSource, type ModelSource, type OpenOptions } from '../model/source/source';

export const tokenizerFiles = ['tokenizer.json', 'tokenizer_config.json', 'chat_template.jinja'];

/**
 * @param others names of other small files to fetch
 * @throws MarbleError errors of `openSource`
 */
export async function fetchTokenizerFiles(
  source: ModelSource,
  open?: OpenOptions,
  others: readonly string[] = [],
): Promise<Record<string, Blob>> {
  const files = await openSource(source, open);
  const blobs: Record<string, Blob> = {};
  for (const name of [...others, ...tokenizerFiles]) {
    if (await files.has(name)) blobs[name] = new Blob([await files.text(name)]);
  }
  return blobs;
}

/** @throws MarbleError `export/gguf` for a GGUF model, which other trainers cannot load, and errors of `openSource` */
export async function refuseGguf(source: ModelSource): Promise<void> {
  const { gguf } = await openSource(source);
  if (gguf === null) return;
  throw new MarbleError(
    'export/gguf',
    `The run trains ${gguf.name}, and neither TRL nor verl trains a GGUF file.`,
    'Choose the model with its original weights (safetensors) and export that run.',
  );
}

const whole = ['config.json', 'model.safetensors', 'adapter_config.json', 'adapter_model.safetensors'];

/** Reads all files of a small model or an adapter into memory. @throws MarbleError errors of `openSource` */
export async function fetchWhole(source: ModelSource): Promise<Record<string, Blob>> {
  const files = await openSource(source);
  const blobs = await fetchTokenizerFiles(source);
  for (const name of whole) {
    if (!(await files.has(name))) continue;
    const bytes = await files.bytes(name);
    blobs[name] = new Blob([(await bytes.read(0, bytes.size)) as Uint8Array<ArrayBuffer>]);
  }
  return blobs;
}

/**
 * A model's tokenizer in a separate folder, with the class PreTrainedTokenizerFast. In the model's folder transformers would
 * choose the class by the model type.
 */
export async function fastTokenizer(
  modelFiles: Readonly<Record<string, Blob>>,
): Promise<Record<string, Blob>> {
  const names = tokenizerFiles.filter((name) => Object.hasOwn(modelFiles, name));
  const configFile = modelFiles['tokenizer_config.json'] as Blob | undefined;
  const config =
    configFile === undefined ? {} : (JSON.parse(await configFile.text()) as Record<string, unknown>);
  const fast = { ...config, tokenizer_class: 'PreTrainedTokenizerFast' };
  return {
    ...Object.fromEntries(names.map((name) => [`tokenizer/${name}`, modelFiles[name]])),
    'tokenizer/tokenizer_config.json': new Blob([JSON.stringify(fast, null, 2)]),
  };
}
