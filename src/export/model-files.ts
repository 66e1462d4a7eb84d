/** Model and tokenizer files for exports. */
import { MarbleError } from '../base/error';
import { openSource, type ModelFiles, type ModelSource } from '../model/source/source';

export const tokenizerFiles = ['tokenizer.json', 'tokenizer_config.json', 'chat_template.jinja'];

/** Reads files of a small model or an adapter into memory, where they exist. */
export async function readFiles(files: ModelFiles, names: readonly string[]): Promise<Record<string, Blob>> {
  const blobs: Record<string, Blob> = {};
  for (const name of names) {
    if (!(await files.has(name))) continue;
    if (name.endsWith('.safetensors')) {
      const bytes = await files.bytes(name);
      blobs[name] = new Blob([(await bytes.read(0, bytes.size)) as Uint8Array<ArrayBuffer>]);
    } else blobs[name] = new Blob([await files.text(name)]);
  }
  return blobs;
}

/**
 * Reads these files of a model or an adapter for another trainer. Files on this computer are returned as they are.
 *
 * @throws MarbleError `export/gguf` for a GGUF model, which other trainers cannot load, and errors of `openSource`
 */
export async function filesOf(source: ModelSource, names: readonly string[]): Promise<Record<string, Blob>> {
  const files = await openSource(source);
  if (files.gguf !== null) {
    throw new MarbleError(
      'export/gguf',
      `The run trains ${files.gguf.name}, and neither TRL nor verl trains a GGUF file.`,
      'Choose the model with its original weights (safetensors) and export that run.',
    );
  }
  return 'files' in source ? source.files : readFiles(files, names);
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
