/** What a run will cost here, before any weights are fetched: files by asking for their sizes, memory and time by a plan. */
import { openSource, type OpenOptions } from '../../src/model/source/source';
import { surveyModel } from '../../src/model/source/survey';
import type { RunConfig } from '../../src/run/config/config';
import { knownModelConfig } from '../../src/run/config/known-models';
import type { Store } from '../../src/store/store';
import { importedItems } from '../beginning';
import { backendFor, modelSource, plannedSource, type ModelPlaces } from './backend';
import { openedWeightCache, openOptions } from './model-store';
import { plannedRun } from './plan';
import { modelName } from '../../src/share/name';
import type { BackendWish, PlannedRun, Preflight } from '../protocol';

type OpenedStore = () => Promise<Store>;

/** A commit's list and small files are kept from now on. Elsewhere the cache would fetch weights to tell their size. */
const openSmallFiles = async (config: RunConfig): Promise<OpenOptions> =>
  config.model.kind === 'hub' ? openOptions(config) : {};

/** @throws MarbleError those of `openSource` and `surveyModel`, and of the backend that is asked for */
export async function preflight(
  config: RunConfig,
  wish: BackendWish,
  places: ModelPlaces,
  openedStore: OpenedStore,
): Promise<Preflight> {
  const open = await openSmallFiles(config);
  const files = await openSource(modelSource(config, places), open);
  const survey = await surveyModel(files);
  const cache = await openedWeightCache();
  const placed = survey.files.flatMap(({ name, size }) => {
    const address = files.address(name);
    return address === null ? [] : [{ address, size }];
  });
  const address = files.address('config.json');
  return {
    host: address === null ? null : new URL(address).host,
    what: modelName(config.model),
    bytes: survey.bytes,
    missing: await cache.missing(placed),
    planned: await plan(config, wish, places, openedStore),
  };
}

/** The plan of a run whose `config.json` is known or may be fetched: of a Hub commit once, since it is kept. */
export async function plan(
  config: RunConfig,
  wish: BackendWish,
  places: ModelPlaces,
  openedStore: OpenedStore,
): Promise<PlannedRun> {
  const open = knownModelConfig(config.model) === null ? await openSmallFiles(config) : {};
  const { probeAdapter, chooseBackend, openEngine } = await import('../../src/index');
  const imported = await importedItems(config, openedStore);
  const { backend } = await backendFor({ probeAdapter, chooseBackend }, config, wish, null, places, open);
  const engine = await openEngine({ backend, wasmUrl: places.wasmUrl });
  try {
    const source = plannedSource(config, places);
    return await plannedRun(engine, { source, open }, config, imported);
  } finally {
    engine.dispose();
  }
}
