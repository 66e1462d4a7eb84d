/** The trained weights of a run as a zip for other programs: a PEFT adapter or a complete small model, with a model card. */
import { zipFiles } from './zip-files';
import { savedWeights, trainedConfig } from '../model/files/export';
import { openSource, type ModelSource, type OpenOptions } from '../model/source/source';
import type { Checkpoint } from '../run/record/events';
import type { History } from '../run/record/history';
import { summarise } from '../run/record/summary';
import { modelCard } from './model-card';
import { fastTokenizer, readTokenizerFiles } from './model-files';

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
    const tokenizer = await readTokenizerFiles(files);
    const tiedHead = !policy.layout?.tensors.some(({ name }) => name === 'lm_head.weight');
    saved['config.json'] = trainedConfig(await files.json('config.json'), tiedHead);
    Object.assign(saved, tokenizer, await fastTokenizer(tokenizer));
  }
  const evals = history.evals.filter(({ report }) => report.step <= step);
  const summary = summarise({ ...history, evals });
  return zipFiles({ ...saved, 'README.md': new Blob([await modelCard(config, step, summary)]) });
}
