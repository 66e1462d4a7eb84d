/**
 * Exports a run as a folder for training with verl or TRL: settings, prompts, reward, tokenizer, initial weights, and a list
 * of settings without a counterpart. It reads only its arguments; the page and the command line share it.
 */
import { checkKeys } from '../../base/known-keys';
import { MarbleError } from '../../base/error';
import { zipFiles } from '../zip-files';
import { readTokenizer } from '../../model/tokenizer/tokenizer-files';
import { openSource, type ModelSource } from '../../model/source/source';
import type { ImportedItems } from '../../rl/data';
import { score } from '../../reward/score';
import type { RunConfig } from '../../run/config/config';
import { importedId } from '../../run/config/imported';
import { encodeLink } from '../../share/settings-link';
import { runName } from '../../share/name';
import checkProgram from './check.py?raw';
import { lostText, readme, verlScript } from './export-texts';
import { isOnHub, updatesPerStep, type Engine, type Lost, type Mapped } from './mapping';
import { fastTokenizer, filesOf, tokenizerFiles } from '../model-files';
import { rewardItem, rewardProgram } from './reward-program';
import { exportRows, parquetOf, type Rows } from './question-rows';
import trlProgram from './run-trl.py?raw';
import { trlSettings } from './trl-settings';
import { verlSettings } from './verl-settings';

export interface ExportOptions {
  to: Engine;
  /**
   * Files of the model by name: `tokenizer.json`; `tokenizer_config.json` and `chat_template.jinja` if they exist; and, for a
   * model outside the Hub, `config.json` and `*.safetensors`.
   */
  modelFiles: Readonly<Record<string, Blob>>;
  /** The two files of the saved adapter from which the run starts. */
  adapterFiles?: Readonly<Record<string, Blob>>;
  /** Items of the imported data sets in the configuration. */
  imported?: ImportedItems;
}

export interface ExportedRun {
  /** Files by path. */
  files: Map<string, Uint8Array<ArrayBuffer>>;
  lost: readonly Lost[];
}

const FIRST_PROMPTS = 64;
const EXAMPLES = 16;
/** Files of a saved adapter. */
const adapterNames = ['adapter_config.json', 'adapter_model.safetensors'];

/**
 * @throws MarbleError `export/no-counterpart` if the engine lacks a setting that the objective needs, `export/missing-files`,
 *   `export/too-many-rows`, and errors of `readTokenizer` and `openItems` (for example `tom/training-forbidden`)
 */
export async function exportRun(config: RunConfig, options: ExportOptions): Promise<ExportedRun> {
  checkKeys('exportRun', options, { to: true, modelFiles: true, adapterFiles: true, imported: true });
  const { to, modelFiles, adapterFiles, imported = {} } = options;
  checkFiles(config, options);
  const mappedFor = (longestPrompt: number): Mapped =>
    to === 'trl' ? trlSettings(config) : verlSettings(config, longestPrompt);
  mappedFor(1); // throws before the rows are generated if the run cannot be exported
  const tokenizer = await readTokenizer(await openSource({ files: { ...modelFiles } }));
  const rows = exportRows(config, tokenizer, imported);
  const mapped = mappedFor(rows.longestPrompt);
  const link = await encodeLink(config);
  const files = new Map<string, Uint8Array<ArrayBuffer>>();
  const write = (name: string, text: string): void => void files.set(name, new TextEncoder().encode(text));
  const copy = async (name: string, blob: Blob): Promise<void> =>
    void files.set(name, new Uint8Array(await blob.arrayBuffer()));
  write('README.md', readme(mapped, link, runName(config)));
  write('lost-fields.md', lostText(mapped.lost));
  write('link.txt', `${link}\n`);
  write('reward.py', rewardProgram(config));
  write('check.py', checkProgram);
  write('first-prompts.json', JSON.stringify(firstPrompts(config, rows)));
  files.set('train.parquet', parquetOf(rows.train));
  files.set('val.parquet', parquetOf(rows.val));
  if (to === 'verl') write('run-verl.sh', verlScript(mapped));
  else {
    write('run-trl.py', trlProgram);
    write('trl-settings.json', JSON.stringify(trlRun(mapped), null, 2));
  }
  for (const [name, blob] of Object.entries(modelFiles))
    if (!isOnHub(config.model) && !tokenizerFiles.includes(name)) await copy(`model/${name}`, blob);
  const tokenizerFolder = await fastTokenizer(modelFiles);
  if (tokenizer.hasChatTemplate) {
    // The post-processor would prepend tokens that the chat template has already rendered.
    const json = JSON.parse(await modelFiles['tokenizer.json'].text()) as object;
    tokenizerFolder['tokenizer/tokenizer.json'] = new Blob([
      JSON.stringify({ ...json, post_processor: null }),
    ]);
  }
  for (const [name, blob] of Object.entries(tokenizerFolder)) await copy(name, blob);
  for (const [name, blob] of Object.entries(adapterFiles ?? {})) await copy(`adapter/${name}`, blob);
  return { files, lost: mapped.lost };
}

/** Sources of what a run starts from. */
export interface ExportSources extends Pick<ExportOptions, 'to' | 'imported'> {
  model: ModelSource;
  adapter?: ModelSource;
}

/** Exports a run on the files of these sources. @throws MarbleError those of `filesOf` and of `exportRun` */
export async function exportFrom(
  config: RunConfig,
  { model, adapter, ...options }: ExportSources,
): Promise<ExportedRun> {
  const weights = 'hub' in model ? [] : ['config.json', 'model.safetensors'];
  const modelFiles = await filesOf(model, [...tokenizerFiles, ...weights]);
  const adapterFiles = adapter && (await filesOf(adapter, adapterNames));
  return exportRun(config, { ...options, modelFiles, adapterFiles });
}

/** Packs the files into one archive. Equal runs give equal bytes. */
export const zipExport = ({ files }: ExportedRun): Promise<Blob> =>
  zipFiles(Object.fromEntries([...files].map(([name, bytes]) => [name, new Blob([bytes])])));

/** Content of `trl-settings.json`. */
function trlRun({ config, trainer, settings }: Mapped): object {
  const { model, training } = config;
  const lora = training.mode === 'lora' ? training : null;
  return {
    trainer,
    updatesPerStep: updatesPerStep(config),
    model: isOnHub(model)
      ? { path: model.repository, revision: model.revision }
      : { path: 'model', revision: null },
    lora: lora && { rank: lora.rank, alpha: lora.alpha, adapter: lora.adapter !== undefined },
    settings: Object.fromEntries(settings),
  };
}

function checkFiles(config: RunConfig, { modelFiles, adapterFiles, imported }: ExportOptions): void {
  const { model, training } = config;
  const required = ['tokenizer.json', ...(isOnHub(model) ? [] : ['config.json'])];
  const missing = required.filter((name) => !Object.hasOwn(modelFiles, name));
  const hasWeights = Object.keys(modelFiles).some((name) => name.endsWith('.safetensors'));
  if (!isOnHub(model) && !hasWeights) missing.push('*.safetensors');
  if (training.mode === 'lora' && training.adapter !== undefined)
    missing.push(...adapterNames.filter((name) => !Object.hasOwn(adapterFiles ?? {}, name)));
  if (missing.length > 0) {
    throw new MarbleError(
      'export/missing-files',
      `The export lacks ${missing.join(', ')}.`,
      'Pass the files of the trained model and of the adapter from which the run starts.',
    );
  }
  const dataset = importedId(config.data.source);
  if (dataset !== null && imported?.training === undefined) {
    throw new MarbleError(
      'export/missing-files',
      `The run trains on the imported data set ${dataset}, but its items are missing.`,
      'Export the run from the page where the data set was imported, or pass its file to the command with --data.',
    );
  }
}

/** First prompts with their token ids, and example completions with their rewards, for `check.py`. */
function firstPrompts({ reward }: RunConfig, { train, promptIds, items }: Rows): object {
  const examples = items.slice(0, EXAMPLES).flatMap((item) =>
    [...Object.values(item.traces ?? {}), `</think> <answer> ${item.answer} </answer>`, item.answer].map(
      (completion) => ({
        completion,
        item: JSON.stringify(rewardItem(item)),
        reward: score(completion, item, reward).total,
      }),
    ),
  );
  return {
    texts: train.slice(0, FIRST_PROMPTS).map(({ prompt: [{ content }] }) => content),
    ids: promptIds.slice(0, FIRST_PROMPTS),
    examples,
  };
}
