/** What a run has trained, from its checkpoint, as a zip for other programs: a PEFT adapter, or the whole small model. */
import { zipFiles } from '../src/model/files/model-zip';
import { savedWeights } from '../src/model/files/export';
import { openSource } from '../src/model/source/source';
import type { Checkpoint } from '../src/run/events';
import { modelSource, type ModelPlaces } from './backend';
import { openOptions } from './model-store';

/** What stands beside the weights of a model that was trained in full. */
const companions = ['config.json', 'tokenizer.json', 'tokenizer_config.json', 'chat_template.jinja'];

/**
 * The files beside a model that was trained in full are read from where the model is from.
 *
 * @throws MarbleError those of `openSource` and `savedWeights`
 */
export async function weightsFile({ config, policy }: Checkpoint, places: ModelPlaces): Promise<Blob> {
  const saved = savedWeights(policy);
  if (config.training.mode === 'full') {
    const quiet = { emit: () => undefined, signal: new AbortController().signal };
    const files = await openSource(modelSource(config, places), await openOptions(config, quiet));
    for (const name of companions) {
      if (await files.has(name)) saved[name] = new Blob([await files.text(name)]);
    }
  }
  return zipFiles(saved);
}
