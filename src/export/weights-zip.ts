/** The trained weights of a run as a zip for other programs: a PEFT adapter or a complete small model, with a model card. */
import { zipSync, type Zippable } from 'fflate';
import { savedWeights, trainedConfig } from '../model/files/export';
import { openSource, type ModelFiles, type ModelSource, type OpenOptions } from '../model/source/source';
import type { Checkpoint } from '../run/record/events';
import type { History } from '../run/record/history';
import { summarise } from '../run/record/summary';
import { modelCard } from './model-card';

/**
 * @param source source of the model, for the config and tokenizer of a fully trained model
 * @param history history of the run, for the card; evaluations after the checkpoint are left out
 * @throws MarbleError errors of `openSource` and `savedWeights`
 */
export async function weightsZip(
  { config, policy, step }: Checkpoint,
  history: History,
  source: ModelSource,
  open?: OpenOptions,
): Promise<Blob> {
  const saved = savedWeights(policy);
  if (config.training.mode === 'full') {
    const files = await openSource(source, open);
    const tiedHead = !policy.layout?.tensors.some(({ name }) => name === 'lm_head.weight');
    saved['config.json'] = trainedConfig(await files.json('config.json'), tiedHead);
    Object.assign(saved, await tokenizerFiles(files));
  }
  const evals = history.evals.filter(({ report }) => report.step <= step);
  const summary = summarise({ ...history, evals });
  return zipFiles({ ...saved, 'README.md': new Blob([await modelCard(config, step, summary)]) });
}

/**
 * The model's tokenizer, next to the model and in the folder `tokenizer` with the class PreTrainedTokenizerFast. In the
 * model's folder transformers chooses the class by the model type.
 */
export async function tokenizerFiles(model: ModelFiles): Promise<Record<string, Blob>> {
  const files: Record<string, Blob> = {};
  for (const name of ['tokenizer.json', 'tokenizer_config.json', 'chat_template.jinja']) {
    if (!(await model.has(name))) continue;
    files[name] = files[`tokenizer/${name}`] = new Blob([await model.text(name)]);
  }
  const config = files['tokenizer_config.json'] as Blob | undefined;
  const settings = config === undefined ? {} : (JSON.parse(await config.text()) as object);
  const fast = { ...settings, tokenizer_class: 'PreTrainedTokenizerFast' };
  return { ...files, 'tokenizer/tokenizer_config.json': new Blob([JSON.stringify(fast, null, 2)]) };
}

/** Packs files. The archive has a fixed date, so equal files give equal bytes. */
export async function zipFiles(files: Record<string, Blob>): Promise<Blob> {
  const entries: Zippable = {};
  for (const [name, blob] of Object.entries(files)) {
    // Compression does not shrink weights.
    entries[name] = [
      new Uint8Array(await blob.arrayBuffer()),
      { level: name.endsWith('.safetensors') ? 0 : 6 },
    ];
  }
  return new Blob([zipSync(entries, { mtime: '1980-01-01T12:00:00' })], { type: 'application/zip' });
}
