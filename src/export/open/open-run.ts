/** A run from its files: Marble's own, or an adapter of PEFT or the weights of a small model that another program trained. */
import { about } from '../../base/error';
import { newId } from '../../base/digest';
import { checkKeys } from '../../base/known-keys';
import { unzipFiles } from '../../model/files/model-zip';
import { openSource, type ModelSource } from '../../model/source/source';
import type { RunConfig } from '../../run/config/config';
import { decodeLink } from '../../share/settings-link';
import { unpackRun, type RunFile } from '../../share/run-file';
import type { Trained } from './foreign-weights';
import { badFile, isTrainedFile, sortFiles, type Files, type TrainedFiles } from './trained-files';

export interface OpenRunOptions {
  /** Settings for an adapter without a link.txt: its base, and the questions and the reward that judge it. */
  settings?: RunConfig;
  /** Source of a run's model, to read config.json if the files lack it; null if the source may not be contacted. */
  modelSource?: (config: RunConfig) => Promise<ModelSource | null>;
}

/** How Marble's own files and zip archives begin. */
const own = 'marble-run ';
const zip = 'PK';

const LONGEST_NAME = 200;
const MOST_FILES = 20_000;

/**
 * @param file - one file, a zip archive, or the files of a folder by their paths
 * @throws MarbleError `export/not-a-run`, `export/bad-file`; those of `unpackRun`, `unzipFiles`, `openAdapter`, `openWeights`
 */
export async function openRun(file: Blob | Files, options: OpenRunOptions = {}): Promise<RunFile> {
  checkKeys('openRun', options, { settings: true, modelSource: true });
  if (!(file instanceof Blob)) {
    const given = Object.entries(file);
    const runs = given.filter(([name]) => name.endsWith('.marble'));
    const isOfOther = given.some(([name, { size }]) => isTrainedFile(name, size));
    const [only] = given.length === 1 ? given : runs.length === 1 && !isOfOther ? runs : [];
    return only === undefined ? openFolder(file, null, options) : openOne(only[1], only[0], options);
  }
  return openOne(file, file instanceof File ? file.name : 'The file', options);
}

/** Bytes of a link.txt that are read, more than a link may have. A longer one is refused as too long. */
const LONGEST_LINK = 64 * 1024;

async function openOne(file: Blob, name: string, options: OpenRunOptions): Promise<RunFile> {
  const named = (thrown: unknown): never => {
    throw about(name, thrown);
  };
  const begins = await file.slice(0, own.length).text();
  if (begins === own || name.endsWith('.marble')) return unpackRun(file).catch(named);
  if (begins.startsWith(zip)) return openFolder(await unzipFiles(file, isTrainedFile, MOST_FILES).catch(named), name, options); // prettier-ignore
  return openFolder({ [name]: file }, name, options);
}

/** @param given - the archive's name; null for a folder, which is named after its contents */
async function openFolder(files: Files, given: string | null, options: OpenRunOptions): Promise<RunFile> {
  const found = sortFiles(files);
  const { adapter, weights, link } = found;
  const exported = link && (await decodeLink((await link.slice(0, LONGEST_LINK).text()).trim())).config;
  const notes: string[] = [];
  const { openTrainedAdapter, openTrainedModel } = await import('./foreign-weights'); // loads tfjs
  let trained: Trained;
  if (adapter !== null) {
    const settings = exported ?? options.settings;
    if (settings === undefined)
      throw badFile(adapter.name, 'the adapter says of no run', 'link.txt of an export beside it, or settings to open it under'); // prettier-ignore
    const json = await modelConfigOf(found, adapter.name, settings, options);
    trained = await openTrainedAdapter(adapter, settings, exported !== null, json);
    notes.push('Its weights are an adapter that PEFT has saved.');
    if (exported === null) notes.push('The settings are those that the adapter was opened under; how it was trained is not known.'); // prettier-ignore
  } else {
    const { name } = weights!;
    if (exported?.training.mode !== 'full')
      throw badFile(name, 'the weights say of no run', 'link.txt of an exported run that trains all weights'); // prettier-ignore
    const json = await modelConfigOf(found, name, exported, options);
    trained = await openTrainedModel(weights!, exported, json);
    notes.push('Its weights are those that transformers has saved.');
  }
  return runOf(trained, adapter === null ? 'transformers' : 'PEFT', given ?? (adapter ?? weights)!.name, notes); // prettier-ignore
}

/** The model's config.json, parsed: from among the files, else from where the model is. */
async function modelConfigOf(
  { modelConfig }: TrainedFiles,
  weights: string,
  config: RunConfig,
  { modelSource }: OpenRunOptions,
): Promise<unknown> {
  const given = modelConfig && { files: { 'config.json': modelConfig } };
  const source = given ?? (await modelSource?.(config)) ?? null;
  if (source === null)
    throw badFile(weights, 'the base model’s config.json is not at hand', 'config.json of the base beside the adapter'); // prettier-ignore
  return (await openSource(source)).json('config.json');
}

/** The number of steps is not in the files, so the run counts as trained to its end. */
function runOf({ config, checkpoint }: Trained, program: string, file: string, notes: string[]): RunFile {
  const { steps } = config;
  const now = Date.now();
  return {
    history: {
      record: {
        id: newId(),
        config,
        name: `${program}: ${file}`.slice(0, LONGEST_NAME),
        notes: notes.join(' '),
        status: 'done',
        step: steps,
        checkpointStep: steps,
        logLength: 0,
        createdAt: now,
        updatedAt: now,
        machine: { program, file, steps: 'unknown' },
      },
      steps: [],
      evals: [],
      alerts: [],
    },
    rollouts: [],
    checkpoint,
  };
}
