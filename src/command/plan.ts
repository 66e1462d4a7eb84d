/** What a run needs on this machine, said before it begins. */
import { estimate, measureSpeed, notBegun, planRun, refuseRun, secondsLeft, type Engine } from '../index';
import { parseModelConfig } from '../model/config';
import { openSource, type ModelSource } from '../model/source/source';
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
  const parts = estimate(known, await measureSpeed(engine));
  const memory = Math.ceil(known.bytes.peak / 1e6).toLocaleString('en');
  const time = durationWords(secondsLeft(parts, notBegun(config)));
  terminal.say(`Needs ${memory} MB of memory and takes at most about ${time}, by a dry run of one step.`);
  const refusal = await refuseRun(engine, model, config, { imported, known });
  if (refusal) throw refusal;
  return parts;
}
