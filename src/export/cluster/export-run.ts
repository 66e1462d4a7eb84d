/**
 * A run as a folder of files that verl or TRL trains from: settings, prompts, reward, tokenizer and start, and in words
 * what has no counterpart. Nothing is read but what the caller gives, so that a page and a command export alike.
 */
import { zipSync, type Zippable } from 'fflate';
import { checkKeys } from '../../base/known-keys';
import { MarbleError } from '../../base/error';
import { readTokenizer } from '../../model/tokenizer/tokenizer-files';
import { openSource } from '../../model/source/source';
import type { ImportedItems } from '../../rl/data';
import { score } from '../../reward/score';
import type { RunConfig } from '../../run/config/config';
import { importedIds } from '../../run/config/imported';
import { encodeLink } from '../../share/link';
import { runName } from '../../share/name';
import checkProgram from './check.py?raw';
import { lostText, readme, verlScript } from './export-texts';
import { isOnHub, updatesPerStep, type Engine, type Lost, type Mapped } from './mapping';
import { fastTokenizer, tokenizerFiles } from '../model-files';
import { rewardItem, rewardProgram } from './reward-program';
import { exportRows, parquetOf, type Rows } from './rows';
import trlProgram from './run-trl.py?raw';
import { trlSettings } from './trl-settings';
import { verlSettings } from './verl-settings';

export interface ExportOptions {
  to: Engine;
  /**
   * The model's own files by name: `tokenizer.json` always, with `tokenizer_config.json` and `chat_template.jinja` where
   * it has them; for a model that is on no hub its `config.json` and `*.safetensors` too.
   */
  modelFiles: Readonly<Record<string, Blob>>;
  /** The two files of the saved adapter that the run starts from, where it does. */
  adapterFiles?: Readonly<Record<string, Blob>>;
  /** The items of the imported data sets that the configuration names. */
  imported?: ImportedItems;
}

export interface ExportedRun {
  /** By path. */
  files: Map<string, Uint8Array<ArrayBuffer>>;
  lost: readonly Lost[];
}

const FIRST_PROMPTS = 64;
const EXAMPLES = 16;
/** The files of a saved adapter. */
export const adapterNames = ['adapter_config.json', 'adapter_model.safetensors'];

/**
 * @throws MarbleError `export/no-counterpart` where the engine would train for something else, `export/missing-files`,
 *   `export/too-many-rows`, and those of `readTokenizer` and `openItems` (`tom/training-forbidden` among them)
 */
export async function exportRun(config: RunConfig, options: ExportOptions): Promise<ExportedRun> {
  checkKeys('exportRun', options, { to: true, modelFiles: true, adapterFiles: true, imported: true });
  const { to, modelFiles, adapterFiles, imported = {} } = options;
  checkGiven(config, options);
  const mappedFor = (longestPrompt: number): Mapped =>
    to === 'trl' ? trlSettings(config) : verlSettings(config, longestPrompt);
  mappedFor(1); // what cannot be exported is said before any row is made
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
    write('trl-settings.json', JSON.stringify(trlRun(mapped, link), null, 2));
  }
  for (const [name, blob] of Object.entries(modelFiles))
    if (!isOnHub(config.model) && !tokenizerFiles.includes(name)) await copy(`model/${name}`, blob);
  const tokenizerFolder = await fastTokenizer(modelFiles);
  if (tokenizer.hasChatTemplate) {
    // Trainers would put the post-processor's tokens before a prompt that the template has already written whole.
    const json = JSON.parse(await modelFiles['tokenizer.json'].text()) as object;
    tokenizerFolder['tokenizer/tokenizer.json'] = new Blob([
      JSON.stringify({ ...json, post_processor: null }),
    ]);
  }
  for (const [name, blob] of Object.entries(tokenizerFolder)) await copy(name, blob);
  for (const [name, blob] of Object.entries(adapterFiles ?? {})) await copy(`adapter/${name}`, blob);
  return { files, lost: mapped.lost };
}

/** The files as one archive: same run, same bytes. */
export function zipExport({ files }: ExportedRun): Blob {
  const entries: Zippable = {};
  for (const [name, bytes] of files) {
    // Weights do not compress.
    entries[name] = [bytes, { level: name.endsWith('.safetensors') ? 0 : 6 }];
  }
  return new Blob([zipSync(entries, { mtime: '1980-01-01T12:00:00' })], { type: 'application/zip' });
}

/** `trl-settings.json`. */
function trlRun({ config, trainer, settings }: Mapped, link: string): object {
  const { model, training } = config;
  const lora = training.mode === 'lora' ? training : null;
  return {
    link,
    trainer,
    updatesPerStep: updatesPerStep(config),
    model: isOnHub(model)
      ? { path: model.repository, revision: model.revision }
      : { path: 'model', revision: null },
    lora: lora && { rank: lora.rank, alpha: lora.alpha, adapter: lora.adapter !== undefined },
    settings: Object.fromEntries(settings),
  };
}

function checkGiven(config: RunConfig, { modelFiles, adapterFiles, imported }: ExportOptions): void {
  const { model, training } = config;
  const asked = ['tokenizer.json', ...(isOnHub(model) ? [] : ['config.json'])];
  const lacking = asked.filter((name) => !Object.hasOwn(modelFiles, name));
  const hasWeights = Object.keys(modelFiles).some((name) => name.endsWith('.safetensors'));
  if (!isOnHub(model) && !hasWeights) lacking.push('*.safetensors');
  if (training.mode === 'lora' && training.adapter !== undefined)
    lacking.push(...adapterNames.filter((name) => !Object.hasOwn(adapterFiles ?? {}, name)));
  if (lacking.length > 0) {
    throw new MarbleError(
      'export/missing-files',
      `The export lacks ${lacking.join(', ')}.`,
      'Give the files of the model that the run trains, and those of the adapter that it starts from.',
    );
  }
  const trains = importedIds({ ...config, evaluation: { ...config.evaluation, imported: [] } });
  if (trains.length > 0 && imported?.training === undefined) {
    throw new MarbleError(
      'export/missing-files',
      `The run trains on an imported data set (${trains[0]}), whose items are not given.`,
      'Export it from the page where the data set was imported, or give its file to the command by --data.',
    );
  }
}

/** The first prompts with their ids, and some completions with their rewards, for `check.py`. */
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
