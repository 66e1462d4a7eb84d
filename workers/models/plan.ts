/** Estimates a run before it begins: memory and work from its plan, time from the speed of this computer. */
import { toErrorReport } from '../../src/base/error';
import type { Engine } from '../../src/gpu/engine';
import { parseModelConfig } from '../../src/model/config';
import { openSource, type ModelSource, type OpenOptions } from '../../src/model/source/source';
import type { ImportedItems } from '../../src/rl/data';
import type { RunConfig } from '../../src/run/config/config';
import type { Speed } from '../../src/run/estimate';
import type { PlannedRun } from '../protocol';

/** Speed of this computer by backend and training mode, timed once per worker. */
const speeds = new Map<string, Promise<Speed>>();

/** Reads only config.json of the model's files. The engine must not be used until it resolves. */
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
    const timing = measureSpeed(engine, config.training);
    speeds.set(timed, timing);
    timing.catch(() => speeds.delete(timed)); // a device may be lost
    return timing;
  }
}
