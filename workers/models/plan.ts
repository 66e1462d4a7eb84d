/** What a run needs here, before it begins: memory and work by its plan, time by the speed of this computer. */
import { toErrorReport } from '../../src/base/error';
import type { Engine } from '../../src/gpu/engine';
import { parseModelConfig } from '../../src/model/config';
import { openSource, type ModelSource, type OpenOptions } from '../../src/model/source/source';
import type { ImportedItems } from '../../src/rl/data';
import type { RunConfig } from '../../src/run/config/config';
import type { Speed } from '../../src/run/estimate';
import type { PlannedRun } from '../protocol';

/** Seconds of timing: enough for two digits. */
const TIMED_SECONDS = 0.4;

/** This computer's speed on each backend, timed once for each worker. */
/** By backend and mode of training. */
const speeds = new Map<string, Promise<Speed>>();

/** Of the model's files only config.json is read. Nothing may use the engine until it resolves. */
export async function plannedRun(
  engine: Engine,
  { source, open }: { source: ModelSource; open?: OpenOptions },
  config: RunConfig,
  imported?: ImportedItems,
): Promise<PlannedRun> {
  const { planRun, measureSpeed, refuseRun, estimate, secondsLeft, notBegun } =
    await import('../../src/index');
  const { backend } = engine;
  const timed = `${backend} ${config.training.mode}`;
  const model = parseModelConfig(await (await openSource(source, open)).json('config.json'));
  const speed = await (speeds.get(timed) ?? time());
  const plan = await planRun(model, config, backend === 'webgpu' ? 'webgpu' : 'wasm', imported);
  const refusal = await refuseRun(engine, model, config, { imported, known: plan });
  const parts = estimate(plan, speed);
  return {
    backend,
    parameters: plan.parameters,
    memory: plan.bytes.peak,
    parts,
    seconds: secondsLeft(parts, notBegun(config)),
    refusal: refusal && toErrorReport(refusal),
  };

  function time(): Promise<Speed> {
    const timing = measureSpeed(engine, config.training, TIMED_SECONDS);
    speeds.set(timed, timing);
    return timing;
  }
}
