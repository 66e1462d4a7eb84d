/** A run from its files, whoever wrote them: Marble's own, a log, an adapter, or a folder that comes back from a cluster. */
import { about } from '../../base/error';
import { newId } from '../../base/digest';
import { checkKeys } from '../../base/known-keys';
import { extent } from '../../base/statistics';
import { unzipFiles } from '../../model/files/model-zip';
import { openSource, type ModelSource } from '../../model/source/source';
import type { ImportedItems } from '../../rl/data';
import type { RunConfig } from '../../run/config/config';
import type { Checkpoint, StepRecord } from '../../run/record/events';
import { defaultPreset, presets } from '../../run/config/presets';
import { decodeLink } from '../../share/link';
import { unpackRun, type RunFile } from '../../share/run-file';
import { badFile, isClusterFile, sortFiles, type ClusterFiles, type Files } from '../cluster/cluster-files';
import { readForeignLog, type Log } from './foreign-log';
import type { Rescored } from './rescore';

export interface OpenRunOptions {
  /** What an adapter is opened under that says of no run: its base, and the questions and the reward that it is judged by. */
  settings?: RunConfig;
  /** Where the model of a run is, for its config.json and its tokenizer where they are not among the files; null where it may not be asked. */
  modelSource?: (config: RunConfig) => Promise<ModelSource | null>;
  /** The items of the imported data set that the run trains on; null where it is not at hand. */
  importedItems?: (config: RunConfig) => Promise<ImportedItems | null>;
}

/** How Marble's own files and zip archives begin. */
const own = 'marble-run ';
const zip = 'PK';

const LONGEST_NAME = 200;
const MOST_FILES = 20_000;

/**
 * @param file one file, a zip archive, or the files of a folder by their paths
 * @throws MarbleError `export/not-a-log`, `export/bad-log` naming the file, the field and what was expected; those of
 *   `unpackRun`, `unzipFiles`, `openAdapter` and `openItems`
 */
export async function openRun(file: Blob | Files, options: OpenRunOptions = {}): Promise<RunFile> {
  checkKeys('openRun', options, { settings: true, modelSource: true, importedItems: true });
  if (!(file instanceof Blob)) {
    const given = Object.entries(file);
    if (given.length !== 1) return openFolder(file, null, options);
    const [[name, only]] = given;
    return openOne(only, name, options);
  }
  return openOne(file, file instanceof File ? file.name : 'The file', options);
}

async function openOne(file: Blob, name: string, options: OpenRunOptions): Promise<RunFile> {
  const named = (thrown: unknown): never => {
    throw about(name, thrown);
  };
  const begins = await file.slice(0, own.length).text();
  if (begins === own || name.endsWith('.marble')) return unpackRun(file).catch(named);
  if (begins.startsWith(zip)) return openFolder(await unzipFiles(file, isClusterFile, MOST_FILES).catch(named), name, options); // prettier-ignore
  const { completions, adapter } = isClusterFile(name, file.size) ? sortFiles({ [name]: file }) : { completions: [], adapter: null }; // prettier-ignore
  if (completions.length > 0 || adapter !== null) return openFolder({ [name]: file }, name, options);
  const log = await readForeignLog(name, file);
  return runOf({ log, name, config: await configOf(log), trained: null, rescored: null, notes: [], modified: modifiedAt(file) }); // prettier-ignore
}

/** Milliseconds since 1970; a blob does not say. */
function modifiedAt(file: Blob): number {
  return file instanceof File ? Math.min(Date.now(), Math.max(0, Math.floor(file.lastModified))) : Date.now();
}

async function configOf({ program, link, rows }: Log): Promise<RunConfig> {
  if (link !== undefined) return (await decodeLink(link)).config;
  const [, steps] = extent([1, ...rows.keys()]);
  return { ...presets[defaultPreset], preset: `imported-${program.replace(/\W/g, '')}`, steps };
}

/** @param given the archive's name; null for a folder, which goes by what it holds */
async function openFolder(files: Files, given: string | null, options: OpenRunOptions): Promise<RunFile> {
  const found = sortFiles(files);
  const name = given ?? (found.log ?? found.adapter ?? found.completions[0]).name;
  const log = found.log && (await readForeignLog(found.log.name, found.log.file));
  const link = found.link === null ? log?.link : (await found.link.text()).trim();
  const exported = link === undefined ? null : (await decodeLink(link)).config;
  const notes: string[] = [];
  let config = exported ?? (log === null ? (options.settings ?? null) : await configOf(log));
  let trained: Parts['trained'] = null;
  if (found.adapter !== null) {
    const settings = exported ?? options.settings;
    if (settings === undefined)
      throw badFile(found.adapter.name, 'the adapter says of no run', 'link.txt of an export beside it, or settings to open it under'); // prettier-ignore
    const { openTrainedAdapter } = await import('./foreign-weights');
    const json = await modelConfigOf(found, found.adapter.name, settings, options);
    const adapter = await openTrainedAdapter(found.adapter, settings, exported !== null, json);
    ({ config, checkpoint: trained } = adapter);
    notes.push('Its weights are an adapter that PEFT has saved.');
    if (exported === null) notes.push('The settings are those that the adapter was opened under; how it was trained is not known.'); // prettier-ignore
  } else if (found.weights !== null && exported?.training.mode === 'full') {
    const { openTrainedModel } = await import('./foreign-weights');
    const json = await modelConfigOf(found, found.weights.name, exported, options);
    trained = await openTrainedModel(found.weights, exported, json);
    notes.push('Its weights are those that transformers has saved.');
  }
  let rescored: Rescored | null = null;
  if (found.completions.length > 0) {
    if (exported === null) {
      const [{ name: first }] = found.completions;
      if (log === null && trained === null)
        throw badFile(first, 'completions alone do not say which run they are of', 'link.txt of the export among the files'); // prettier-ignore
      notes.push('Its completions were not scored: no link.txt among the files says of which run they are.');
    } else rescored = await rescoredOf(found, exported, options, notes);
  }
  if (config === null) throw badFile(name, 'holds no log and no adapter', 'one of them');
  const modified = modifiedAt((found.log ?? found.completions[0])?.file ?? new Blob());
  return runOf({ log, name, config, trained, rescored, notes, modified });
}

/** The model's config.json, parsed: from among the files, else from where the model is. */
async function modelConfigOf(
  { modelConfig }: ClusterFiles,
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

async function rescoredOf(
  { completions, tokenizer }: ClusterFiles,
  config: RunConfig,
  { modelSource, importedItems }: OpenRunOptions,
  notes: string[],
): Promise<Rescored | null> {
  const [{ rescore }, { readTokenizer }, { importedId }] = await Promise.all([
    import('./rescore'),
    import('../../model/tokenizer/tokenizer-files'),
    import('../../run/config/imported'),
  ]);
  const isOwn = importedId(config.data.source) !== null;
  const items = isOwn ? ((await importedItems?.(config)) ?? null) : {};
  if (items === null) {
    notes.push(`Its completions were not scored: the data set ${config.data.source} is not at hand.`);
    return null;
  }
  const isGiven = Object.hasOwn(tokenizer, 'tokenizer.json');
  const source = isGiven ? { files: { ...tokenizer } } : ((await modelSource?.(config)) ?? null);
  if (source === null) {
    notes.push('Its completions were not scored: no tokenizer.json is among the files.');
    return null;
  }
  const found = await rescore(completions, config, items, await readTokenizer(await openSource(source)));
  if (found.scored > 0)
    notes.push(`${found.agreeing} of ${found.scored} completions earn what they earned there.`);
  return found;
}

interface Parts {
  log: Log | null;
  name: string;
  config: RunConfig;
  /** The checkpoint of what was trained, after so many steps. */
  trained: ((step: number) => Checkpoint) | null;
  rescored: Rescored | null;
  notes: readonly string[];
  modified: number;
}

function runOf({ log, name, config, trained, rescored, notes, modified }: Parts): RunFile {
  const rows = new Map<number, Record<string, number>>(rescored?.metrics);
  // What a log says itself stands.
  for (const [step, row] of log?.rows ?? []) rows.set(step, { ...rows.get(step), ...row });
  const steps = [...rows]
    .sort(([one], [other]) => one - other)
    .map(([step, metrics]): StepRecord => ({ ...metrics, step }));
  const evals = rescored?.evals ?? [];
  const last = Math.max(steps.at(-1)?.step ?? 0, evals.at(-1)?.report.step ?? 0);
  const step = last === 0 && trained !== null ? config.steps : last;
  const checkpoint: Checkpoint | null = trained && trained(step);
  const program =
    log?.program ?? (trained === null || config.training.mode === 'full' ? 'a cluster' : 'PEFT');
  const read = log === null ? [] : [log.link === undefined && rescored === null && trained === null ? `Read from a log of ${program}, which does not hold the run's settings.` : `Read from a log of ${program}.`]; // prettier-ignore
  return {
    history: {
      record: {
        id: newId(),
        config,
        name: `${program}: ${name}`.slice(0, LONGEST_NAME),
        notes: [...read, ...notes].join(' '),
        status: 'done',
        step,
        checkpointStep: checkpoint && step,
        logLength: 0,
        createdAt: modified,
        updatedAt: modified,
        machine: { program, file: name, ...(last === 0 && { steps: 'unknown' }) },
      },
      steps,
      evals,
      alerts: [],
    },
    rollouts: rescored?.rollouts ?? [],
    checkpoint,
  };
}
