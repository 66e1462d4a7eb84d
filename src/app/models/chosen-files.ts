/** Model files that a visitor chooses, as separate files or as a folder, or drops. */
import { MarbleError } from '../../base/error';

export interface ChosenFiles {
  /** Name of the model: the folder's name, else that of the weights file. */
  name: string;
  files: Record<string, File>;
}

/** Weights of a model that comes as several files. */
const weights = /\.safetensors$/;
/** A file that holds the whole model. */
const whole = /\.gguf$/;

/**
 * Checks that the files form a model, and names it.
 *
 * @throws MarbleError `app/no-model` if a required file is missing
 */
export function chosenFiles(list: readonly File[]): ChosenFiles {
  const files = Object.fromEntries(list.map((file) => [file.webkitRelativePath || file.name, file]));
  const names = Object.keys(files);
  const lacking = [
    [/(^|\/)config\.json$/, 'config.json'],
    [/(^|\/)tokenizer\.json$/, 'tokenizer.json'],
    [weights, 'the weights (.safetensors)'],
  ] as const;
  const isWhole = names.some((name) => whole.test(name)) && !names.some((name) => weights.test(name));
  const [first] = isWhole ? [] : lacking.filter(([pattern]) => !names.some((name) => pattern.test(name)));
  if (first !== undefined) {
    throw new MarbleError(
      'app/no-model',
      `${names.length === 1 ? names[0] : `The ${names.length} files`} ${names.length === 1 ? 'does' : 'do'} not include ${first[1]}.`,
      names.some((name) => name.endsWith('.zip'))
        ? 'Unpack the zip, and choose the folder that comes out of it.'
        : 'Choose config.json, tokenizer.json, tokenizer_config.json and the safetensors weights together, their folder, or a GGUF file.',
    );
  }
  const [path] = names;
  const own = names.find((name) => weights.test(name)) ?? names.find((name) => whole.test(name))!;
  const name = path.includes('/') ? path.slice(0, path.indexOf('/')) : own;
  return { name: name.replaceAll(/[^\w.-]/g, '-').slice(0, 96), files };
}
