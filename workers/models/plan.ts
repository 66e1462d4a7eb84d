/**
 * Estimates a run before it begins: memory and work from its plan, time from the speed of this computer, and before any
 * weights are fetched the file sizes from requests.
 */
import { toErrorReport } from '../../src/base/error';
import type { BackendName, Engine } from '../../src/gpu/engine';
import { parseModelConfig } from '../../src/model/config';
import { openSource, type ModelSource, type OpenOptions } from '../../src/model/source/source';
import type { ImportedItems } from '../../src/rl/data';
import type { RunConfig } from '../../src/run/config/config';
import { knownModelConfig } from '../../src/run/config/known-models';
import type { Speed } from '../../src/run/estimate';
import { modelName } from '../../src/share/name';
import type { Store } from '../../src/store/store';
import type { BackendWish, PlannedRun, Preflight } from '../protocol';
import { importedItems } from '../stored-run';
import { backendFor, modelSource, plannedSource, type ModelPlaces } from './backend';
import { openedWeightCache, openOptions } from './model-store';

/** Speed of this computer by backend, wasm threads and training mode, timed once per worker. */
const speeds = new Map<string, Promise<Speed>>();

/** One for an embedded model: its smallest products never use more, and sweeps train it on one thread a run. */
const timedThreads = (threads: number, { model }: RunConfig): number =>
  model.kind === 'embedded' ? 1 : threads;

const keyOf = (backend: BackendName, threads: number, config: RunConfig): string =>
  `${backend} ${timedThreads(threads, config)} ${config.training.mode}`;

/** Threads of an engine that only plans: those to time, and one after that, which opens faster. */
const planningThreads = (backend: BackendName, threads: number, config: RunConfig): number =>
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

type OpenedStore = () => Promise<Store>;

/** @throws MarbleError an error of `openSource`, `surveyModel` or the requested backend */
export async function preflight(
  config: RunConfig,
  wish: BackendWish,
  places: ModelPlaces,
  openedStore: OpenedStore,
  signal: AbortSignal,
): Promise<Preflight> {
  const open = await openOptions(config, { signal });
  const files = await openSource(modelSource(config, places), open);
  const { surveyModel } = await import('../../src/model/files/weights-reader');
  const survey = await surveyModel(files);
  const cache = await openedWeightCache();
  const placed = survey.files.flatMap(({ name, size }) => {
    const address = files.address(name);
    return address === null ? [] : [{ address, size }];
  });
  return {
    isOnHub: config.model.kind === 'hub',
    what: modelName(config.model),
    bytes: survey.bytes,
    missing: await cache.missing(placed),
    planned: await plan(config, wish, places, openedStore, signal),
  };
}

/** Plans a run whose `config.json` is known or may be fetched. For a Hub commit it is fetched once and cached. */
export async function plan(
  config: RunConfig,
  wish: BackendWish,
  places: ModelPlaces,
  openedStore: OpenedStore,
  signal: AbortSignal,
): Promise<PlannedRun> {
  const open = knownModelConfig(config.model) === null ? await openOptions(config, { signal }) : { signal };
  const { openEngine } = await import('../../src/index');
  const imported = await importedItems(config, openedStore);
  const { backend } = await backendFor(config, wish, null, places, open);
  const { wasmUrl, startHelper, threads } = places;
  const engine = await openEngine({
    ...{ backend, wasmUrl, startHelper, threads: planningThreads(backend, threads, config) },
  });
  try {
    const source = plannedSource(config, places);
    return await plannedRun(engine, { source, open, threads }, config, imported);
  } finally {
    engine.dispose();
  }
}
