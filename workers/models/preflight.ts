/**
 * Estimates the cost of a run before any weights are fetched: file sizes from requests, memory and time from a plan.
 */
import { openSource } from '../../src/model/source/source';
import { surveyModel } from '../../src/model/files/weights-reader';
import type { RunConfig } from '../../src/run/config/config';
import { knownModelConfig } from '../../src/run/config/known-models';
import type { Store } from '../../src/store/store';
import { importedItems } from '../stored-run';
import { backendFor, modelSource, plannedSource, type ModelPlaces } from './backend';
import { openedWeightCache, openOptions } from './model-store';
import { plannedRun, planningThreads } from './plan';
import { modelName } from '../../src/share/name';
import type { BackendWish, PlannedRun, Preflight } from '../protocol';

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
