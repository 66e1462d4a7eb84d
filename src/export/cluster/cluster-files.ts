/** What lies in a folder that comes back from a cluster, told by the names that verl, TRL, PEFT and an export give. */
import { MarbleError } from '../../base/error';

/** Files by their paths. */
export type Files = Readonly<Record<string, Blob>>;

export interface Named {
  name: string;
  file: Blob;
}

export interface ClusterFiles {
  /** TRL's trainer_state.json, verl's log, a table of Weights & Biases. */
  log: Named | null;
  /** What PEFT saved last. */
  adapter: { name: string; files: Files } | null;
  /** All weights of a small model, as transformers saved them last. */
  weights: { name: string; files: Files } | null;
  /** Prompts with what was answered: verl's `3.jsonl`, TRL's `completions_00003.parquet`. */
  completions: readonly Named[];
  /** The exported run's own link. */
  link: Blob | null;
  tokenizer: Files;
  /** The model's config.json. */
  modelConfig: Blob | null;
}

const adapterConfig = 'adapter_config.json';
const adapterWeights = 'adapter_model.safetensors';
const modelWeights = 'model.safetensors';
const tokenizerNames = ['tokenizer.json', 'tokenizer_config.json', 'chat_template.jinja'];
const single = ['trainer_state.json', 'link.txt', 'config.json', adapterConfig, adapterWeights, ...tokenizerNames]; // prettier-ignore

/** Of completions, in bytes: a thousand steps of 64 have some 100 MB. */
const mostBytes = 256 * 2 ** 20;

const baseOf = (path: string): string => path.slice(path.lastIndexOf('/') + 1);
const folderOf = (path: string): string => path.slice(0, Math.max(0, path.lastIndexOf('/')));

const isCompletions = (path: string): boolean =>
  /^(?:\d{1,9}(?:-\d{1,6})?\.jsonl|completions_\d{1,9}\.parquet)$/.test(baseOf(path));

const isLog = (path: string): boolean =>
  baseOf(path) === 'trainer_state.json' || (/\.(?:jsonl|log|csv)$/.test(path) && !isCompletions(path));

/** Weights of a larger model, in bytes, stay where they are: they are evaluated from their folder. */
const largestModel = 64 * 2 ** 20;

/** Whether a file can be a part of a run that comes back; all others are left alone, weights of large models among them. */
export function isClusterFile(path: string, bytes: number): boolean {
  if (baseOf(path) === modelWeights) return bytes <= largestModel && lateness(path) >= 0;
  return single.includes(baseOf(path)) || isLog(path) || isCompletions(path);
}

/**
 * How late in training a file was written: its checkpoint's step, what stands in none after all of them. The model or the
 * adapter that an export gives along is where the run started.
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

/** @throws MarbleError `export/not-a-log` where nothing of a run is among the files, `export/bad-log` for too much */
export function sortFiles(files: Files): ClusterFiles {
  const paths = Object.keys(files).filter((path) => isClusterFile(path, files[path].size));
  const named = (path: string): Named => ({ name: path, file: files[path] });
  const at = (base: string): string | undefined => latest(paths.filter((path) => baseOf(path) === base));
  const blobAt = (base: string): Blob | null => {
    const path = at(base);
    return path === undefined ? null : files[path];
  };
  const states = paths.filter((path) => baseOf(path) === 'trainer_state.json');
  const log = latest(states.length > 0 ? states : paths.filter(isLog));
  const folder = latest(paths.filter((path) => [adapterWeights, adapterConfig].includes(baseOf(path))));
  const completions = paths.filter(isCompletions).map(named);
  if (log === undefined && folder === undefined && completions.length === 0) {
    throw new MarbleError(
      'export/not-a-log',
      Object.keys(files).length === 0
        ? 'No file of a run is there.'
        : `None of these files is part of a run: ${Object.keys(files).slice(0, 5).join(', ')}.`,
      'Choose trainer_state.json, verl’s .jsonl, adapter_config.json with adapter_model.safetensors, or all of a folder that TRL or verl has trained in, as a zip.',
    );
  }
  const bytes = completions.reduce((sum, { file }) => sum + file.size, 0);
  if (bytes > mostBytes) throw badFile('The completions', `take ${bytes} bytes`, `at most ${mostBytes}`);
  const tokenizer = at('tokenizer.json');
  const weights = at(modelWeights);
  return {
    log: log === undefined ? null : named(log),
    adapter: folder === undefined ? null : adapterIn(files, folderOf(folder)),
    weights:
      weights === undefined
        ? null
        : { name: weights, files: besides(files, folderOf(weights), [modelWeights]) },
    completions,
    link: blobAt('link.txt'),
    tokenizer: tokenizer === undefined ? {} : besides(files, folderOf(tokenizer), tokenizerNames),
    modelConfig: blobAt('config.json'),
  };
}

/** Those of a folder that have these names, by the names. */
function besides(files: Files, folder: string, names: readonly string[]): Record<string, Blob> {
  const path = (name: string): string => (folder === '' ? name : `${folder}/${name}`);
  return Object.fromEntries(names.flatMap((name) => (Object.hasOwn(files, path(name)) ? [[name, files[path(name)]]] : []))); // prettier-ignore
}

function adapterIn(files: Files, folder: string): ClusterFiles['adapter'] {
  const found = besides(files, folder, [adapterConfig, adapterWeights]);
  for (const name of [adapterConfig, adapterWeights]) {
    if (!Object.hasOwn(found, name))
      throw badFile(name, `is not among the files of ${folder === '' ? 'the adapter' : folder}`, `${adapterConfig} beside ${adapterWeights}, as PEFT saves them`); // prettier-ignore
  }
  return { name: folder === '' ? 'the adapter' : folder, files: found };
}

/** What is wrong with a file of another program, by the file, the field and what was expected. */
export function badFile(name: string, what: string, expected: string): MarbleError {
  return new MarbleError(
    'export/bad-log',
    `${name.slice(-100)}: ${what}; expected: ${expected}.`,
    'Choose the files as their program wrote them; nothing was kept.',
  );
}
