/** The files of what PEFT or transformers has trained, found among others by the names that these and an export give. */
import { MarbleError } from '../../base/error';

/** Files by their paths. */
export type Files = Readonly<Record<string, Blob>>;

export interface TrainedFiles {
  /** The adapter that PEFT saved last. */
  adapter: { name: string; files: Files } | null;
  /** All weights of a small model, as transformers saved them last. */
  weights: { name: string; files: Files } | null;
  /** Link of the exported run. */
  link: Blob | null;
  /** The model's config.json. */
  modelConfig: Blob | null;
}

const adapterConfig = 'adapter_config.json';
const adapterWeights = 'adapter_model.safetensors';
const modelWeights = 'model.safetensors';
const names = ['link.txt', 'config.json', adapterConfig, adapterWeights];

/** Larger models are evaluated from their folder, so their weights are not read. In bytes. */
const largestModel = 64 * 2 ** 20;

const baseOf = (path: string): string => path.slice(path.lastIndexOf('/') + 1);
const folderOf = (path: string): string => path.slice(0, Math.max(0, path.lastIndexOf('/')));

/** True if the file can belong to a trained adapter or model. */
export function isTrainedFile(path: string, bytes: number): boolean {
  if (baseOf(path) === modelWeights) return bytes <= largestModel && lateness(path) >= 0;
  return names.includes(baseOf(path));
}

/**
 * How late in training a file was written: the step of its checkpoint, or Infinity outside of one. The model and the adapter
 * that an export holds are where the run started: -1.
 */
function lateness(path: string): number {
  if (['adapter', 'model'].includes(baseOf(folderOf(path)))) return -1;
  const found = /(?:checkpoint-|global_step_)(\d{1,9})\//.exec(path);
  return found === null ? Infinity : Number(found[1]);
}

/** The latest of some paths, and of these the one nearest to the top. */
function latest(paths: readonly string[]): string | undefined {
  const depth = (path: string): number => path.split('/').length;
  return [...paths].sort((a, b) => {
    const [one, other] = [lateness(a), lateness(b)];
    return one === other ? depth(a) - depth(b) : one > other ? -1 : 1;
  })[0];
}

/** @throws MarbleError `export/not-a-run` where none of the files was trained, `export/bad-file` for half an adapter */
export function sortFiles(files: Files): TrainedFiles {
  const paths = Object.keys(files).filter((path) => isTrainedFile(path, files[path].size));
  const latestOf = (...bases: string[]): string | undefined =>
    latest(paths.filter((path) => bases.includes(baseOf(path))));
  const blobAt = (base: string): Blob | null => {
    const path = latestOf(base);
    return path === undefined ? null : files[path];
  };
  const adapter = latestOf(adapterWeights, adapterConfig);
  const weights = latestOf(modelWeights);
  if (adapter === undefined && weights === undefined) {
    throw new MarbleError(
      'export/not-a-run',
      Object.keys(files).length === 0
        ? 'There is no file.'
        : `None of these files is a run or an adapter: ${Object.keys(files).slice(0, 5).join(', ')}.`,
      'Choose a .marble file, adapter_config.json with adapter_model.safetensors, or the marble.zip of run-trl.py. Weights & Biases and TensorBoard show the logs of a cluster.',
    );
  }
  return {
    adapter: adapter === undefined ? null : adapterIn(files, folderOf(adapter)),
    weights: weights === undefined ? null : { name: weights, files: { [modelWeights]: files[weights] } },
    link: blobAt('link.txt'),
    modelConfig: blobAt('config.json'),
  };
}

function adapterIn(files: Files, folder: string): TrainedFiles['adapter'] {
  const name = folder === '' ? 'the adapter' : folder;
  const found = [adapterConfig, adapterWeights].map((base) => {
    const path = folder === '' ? base : `${folder}/${base}`;
    if (Object.hasOwn(files, path)) return [base, files[path]];
    throw badFile(base, `is not among the files of ${name}`, `${adapterConfig} beside ${adapterWeights}, as PEFT saves them`); // prettier-ignore
  });
  return { name, files: Object.fromEntries(found) as Record<string, Blob> };
}

/** An error with the file's name, its fault and the expected content. */
export function badFile(name: string, what: string, expected: string): MarbleError {
  return new MarbleError(
    'export/bad-file',
    `${name.slice(-100)}: ${what}; expected: ${expected}.`,
    'Choose the files as their program wrote them; nothing was kept.',
  );
}
