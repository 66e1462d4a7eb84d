/** What a run has trained, from its checkpoint, as a zip for other programs. */
import { weightsZip } from '../src/export/weights-zip';
import type { Checkpoint } from '../src/run/events';
import type { History } from '../src/run/history';
import { modelSource, type ModelPlaces } from './backend';
import { openOptions } from './model-store';

/** @throws MarbleError those of `weightsZip`, `app/choose-files` */
export async function weightsFile(
  checkpoint: Checkpoint,
  history: History,
  places: ModelPlaces,
): Promise<Blob> {
  const { config } = checkpoint;
  // Beside an adapter stand none of the model's files.
  if (config.training.mode === 'lora') return weightsZip(checkpoint, history, { files: {} });
  const quiet = { emit: () => undefined, signal: new AbortController().signal };
  return weightsZip(checkpoint, history, modelSource(config, places), await openOptions(config, quiet));
}
