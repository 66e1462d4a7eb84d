/** Estimates a run before it begins: memory and work from its plan, time from the speed of this computer. */
import { toErrorReport } from '../../src/base/error';
import type { BackendName, Engine } from '../../src/gpu/engine';
import { parseModelConfig } from '../../src/model/config';
import { openSource, type ModelSource, type OpenOptions } from '../../src/model/source/source';
import type { ImportedItems } from '../../src/rl/data';
import type { RunConfig } from '../../src/run/config/config';
import type { Speed } from '../../src/run/estimate';
import type { PlannedRun } from '../protocol';

/** Speed of this computer by backend, wasm threads and training mode, timed once per worker. */
const speeds = new Map<string, Promise<Speed>>();

/** One for an embedded model: its smallest products never use more, and sweeps train it on one thread a run. */
const timedThreads = (threads: number, { model }: RunConfig): number =>
  model.kind === 'embedded' ? 1 : threads;

const keyOf = (backend: BackendName, threads: number, config: RunConfig): string =>
  `${backend} ${timedThreads(threads, config)} ${config.training.mode}`;

/** Threads of an engine that only plans: those to time, and one after that, which opens faster. */
export const planningThreads = (backend: BackendName, threads: number, config: RunConfig): number =>
  speeds.has(keyOf(backend, threads, config)) ? 1 : timedThreads(threads, config);

/**
 * Reads only config.json of the model's files. The engine must not be used until it resolves.
 *
 * @param engine with the threads of the run, or with `planningThreads`
 * @param run `threads`: number of wasm threads of the run
 */
export async function plannedRun(
  engine: Engine,
  { source, open, threads }: { source: ModelSource; open?: OpenOptions; threads: number },
  config: RunConfig,
  imported?: ImportedItems,
): Promise<PlannedRun> {
  const { planRun, measureSpeed, refuseRun, estimate, secondsLeft, notBegun } =
    await import('../../src/index');
  const { backend } = engine;
  const timed = keyOf(backend, threads, config);
  const model = parseModelConfig(await (await openSource(source, open)).json('config.json'));
  const speed = await (speeds.get(timed) ?? time());
  const plan = await planRun(model, config, backend, imported);
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
