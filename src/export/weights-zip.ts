/** What a run has trained, as a zip for other programs: a PEFT adapter, or the whole small model; each with its card. */
import { zipFiles } from '../model/files/model-zip';
import { savedWeights } from '../model/files/export';
import { openSource, type ModelSource, type OpenOptions } from '../model/source/source';
import type { Checkpoint } from '../run/record/events';
import type { History } from '../run/record/history';
import { summarise } from '../run/record/summary';
import { modelCard } from './model-card';
import { fastTokenizer, tokenizerFiles } from './model-files';

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
    const files = await openSource(source, open);
    const beside: Record<string, Blob> = {};
    for (const name of ['config.json', ...tokenizerFiles]) {
      if (await files.has(name)) beside[name] = new Blob([await files.text(name)]);
    }
    Object.assign(saved, beside, await fastTokenizer(beside));
  }
  const evals = history.evals.filter(({ report }) => report.step <= step);
  const summary = summarise({ ...history, evals });
  return zipFiles({ ...saved, 'README.md': new Blob([await modelCard(config, step, summary)]) });
}
