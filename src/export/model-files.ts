/** Tokenizer files for exported weights. */
import type { ModelFiles } from '../model/source/source';

const tokenizerFiles = ['tokenizer.json', 'tokenizer_config.json', 'chat_template.jinja'];

/** Reads the model's tokenizer files, where they exist. */
export async function readTokenizerFiles(files: ModelFiles): Promise<Record<string, Blob>> {
  const blobs: Record<string, Blob> = {};
  for (const name of tokenizerFiles)
    if (await files.has(name)) blobs[name] = new Blob([await files.text(name)]);
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
