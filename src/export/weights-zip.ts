/** What a run has trained, as a zip for other programs: a PEFT adapter, or the whole small model; each with its card. */
import { zipFiles } from '../model/files/model-zip';
import { savedWeights } from '../model/files/export';
import type { ModelSource, OpenOptions } from '../model/source/source';
import type { Checkpoint } from '../run/record/events';
import type { History } from '../run/record/history';
import { summarise } from '../run/record/summary';
import { modelCard } from './model-card';
import { fastTokenizer, fetchTokenizerFiles } from './model-files';

/**
 * @param source where the model is from: the files beside one that was trained in full are read there
 * @param history of the run, for the card; what came after the checkpoint is left out
 * @throws MarbleError those of `openSource` and `savedWeights`
 */
export async function weightsZip(
  { config, policy, step }: Checkpoint,
  history: History,
  source: ModelSource,
  open?: OpenOptions,
): Promise<Blob> {
  const saved = savedWeights(policy);
  if (config.training.mode === 'full') {
    const beside = await fetchTokenizerFiles(source, open, ['config.json']);
    Object.assign(saved, beside, await fastTokenizer(beside));
  }
  const evals = history.evals.filter(({ report }) => report.step <= step);
  const summary = summarise({ ...history, evals });
  return zipFiles({ ...saved, 'README.md': new Blob([await modelCard(config, step, summary)]) });
}
