/** Prints the memory and time that a run needs on this machine, before it begins. */
import { estimate, measureSpeed, planRun, refuseRun, secondsLeft, type Engine } from '../index';
import { parseModelConfig } from '../model/config';
import { openSource, type ModelSource } from '../model/source/source';
import { surveyModel } from '../model/files/weights-reader';
import type { ImportedItems } from '../rl/data';
import { durationWords, megabytes, type RunParts, type RunSoFar } from '../run/estimate';
import type { Terminal } from './terminal';

/**
 * Plans a run and prints its needs.
 *
 * @returns seconds of each part of the run
 * @throws MarbleError if the run does not fit into memory; names the settings to lower
 */
export async function plannedParts(
  engine: Engine,
  source: ModelSource,
  soFar: RunSoFar,
  imported: ImportedItems,
  terminal: Terminal,
): Promise<RunParts<number>> {
  const { config } = soFar;
  const model = parseModelConfig(await (await openSource(source)).json('config.json'));
  const known = await planRun(model, config, engine.backend, imported);
  const parts = estimate(known, await measureSpeed(engine, config.training));
  const memory = megabytes(known.bytes.peak);
  const time = durationWords(secondsLeft(parts, soFar));
  terminal.say(`Needs ${memory} of memory and takes at most about ${time}, by a dry run of one step.`);
  const refusal = await refuseRun(engine, model, config, { imported, known });
  if (refusal) throw refusal;
  return parts;
}

/** Prints the size of a model's download right before it. Requests only the sizes of the weights. */
export async function sayDownload(source: ModelSource, terminal: Terminal): Promise<void> {
  if ('files' in source) return;
  const files = await openSource(source);
  const { bytes } = await surveyModel(files);
  terminal.say(`Downloads ${megabytes(bytes)} from ${new URL(files.address('config.json')!).host}.`);
}
