/** What a run needs on this machine, said before it begins. */
import { estimate, measureSpeed, notBegun, planRun, refuseRun, secondsLeft, type Engine } from '../index';
import { parseModelConfig } from '../model/config';
import { openSource, type ModelSource } from '../model/source/source';
import { surveyModel } from '../model/source/survey';
import type { ImportedItems } from '../rl/data';
import type { RunConfig } from '../run/config/config';
import { durationWords, type RunParts } from '../run/estimate';
import type { Terminal } from './terminal';

/**
 * @returns seconds of the run's parts
 * @throws MarbleError where the run does not fit into memory, with the setting to lower
 */
export async function plannedParts(
  engine: Engine,
  source: ModelSource,
  config: RunConfig,
  imported: ImportedItems,
  terminal: Terminal,
): Promise<RunParts<number>> {
  const model = parseModelConfig(await (await openSource(source)).json('config.json'));
  const known = await planRun(model, config, engine.backend === 'webgpu' ? 'webgpu' : 'wasm', imported);
  const parts = estimate(known, await measureSpeed(engine, config.training));
  const memory = megabytes(known.bytes.peak);
  const time = durationWords(secondsLeft(parts, notBegun(config)));
  terminal.say(`Needs ${memory} of memory and takes at most about ${time}, by a dry run of one step.`);
  const refusal = await refuseRun(engine, model, config, { imported, known });
  if (refusal) throw refusal;
  return parts;
}

/** Says how much a model from elsewhere downloads, right before it does. Of its weights only the sizes are asked for. */
export async function sayDownload(source: ModelSource, terminal: Terminal): Promise<void> {
  if ('files' in source) return;
  const files = await openSource(source);
  const { bytes } = await surveyModel(files);
  terminal.say(`Downloads ${megabytes(bytes)} from ${new URL(files.address('config.json')!).host}.`);
}

const megabytes = (bytes: number): string => `${Math.ceil(bytes / 1e6).toLocaleString('en')} MB`;
