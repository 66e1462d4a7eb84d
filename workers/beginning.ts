/** What a training begins with: a new run, or a kept one and the checkpoint from which it goes on. */
import { MarbleError, toErrorReport } from '../src/base/error';
import type { RunConfig } from '../src/run/config/config';
import type { ImportedItems } from '../src/rl/data';
import type { Checkpoint } from '../src/run/record/events';
import { emptyHistory } from '../src/run/record/history';
import { importedId, importedIds } from '../src/run/config/imported';
import { cutHistory } from '../src/store/cut-history';
import type { RunRecord } from '../src/run/record/run-record';
import { newRunRecord } from '../src/run/record/new-run';
import type { Store } from '../src/store/store';
import type { Item } from '../src/tom/item';
import { backendOf, type BackendWish, type ChosenBackend, type KeptRun, type WorkerEvent } from './protocol';

/** A run that is about to train. */
export interface Beginning {
  /** Of a run that goes on; null for a new one. */
  id: string | null;
  config: RunConfig;
  wish: BackendWish;
  /** What a run that goes on was begun on. */
  before: ChosenBackend | null;
  /** Called once the model is loaded: nothing is written for a run that cannot begin. */
  open(machine: Record<string, unknown>): Promise<OpenedRun>;
}

/** What a run is written by while it trains. */
export type RunWriter = Pick<Store, 'appendEvents' | 'saveCheckpoint' | 'updateRun'>;

export interface OpenedRun {
  kept: KeptRun;
  resume: Checkpoint | null;
  /** Null where nothing can be kept. */
  store: RunWriter | null;
}

/**
 * The items of every imported data set that a configuration names; the store is not opened for none.
 *
 * @throws MarbleError `store/no-dataset` where this browser has not got one
 */
export async function importedItems(
  config: RunConfig,
  openedStore: () => Promise<Store>,
): Promise<ImportedItems> {
  if (importedIds(config).length === 0) return {};
  const store = await openedStore();
  const load = async (id: string): Promise<Item[]> => (await store.loadDataset(id)).items;
  const trained = importedId(config.data.source);
  return {
    ...(trained !== null && { training: await load(trained) }),
    evaluation: (await Promise.all((config.evaluation.imported ?? []).map(load))).flat(),
  };
}

/** A new run. Where the storage fails it trains unkept, and the page is told. */
export function newRun(
  { config, name, wish }: { config: RunConfig; name: string; wish: BackendWish },
  openedStore: () => Promise<Store>,
  emit: (event: WorkerEvent) => void,
): Beginning {
  return {
    id: null,
    config,
    wish,
    before: null,
    async open(machine) {
      const opened = (record: RunRecord, store: Store | null): OpenedRun => ({
        kept: { record, ...emptyHistory, rolloutSteps: [] },
        resume: null,
        store,
      });
      try {
        const store = await openedStore();
        return opened(await store.createRun(config, name, machine), store);
      } catch (thrown) {
        emit({ type: 'storage', error: toErrorReport(thrown) });
        return opened(newRunRecord(config, name, machine), null);
      }
    },
  };
}

/** A kept run, from its last checkpoint that holds; one that has none begins again under its own name. */
export async function keptRun(
  id: string,
  wish: BackendWish,
  store: Store,
  emit: (event: WorkerEvent) => void,
): Promise<Beginning> {
  const { record: found } = await store.loadRun(id);
  const { config } = found;
  return {
    id,
    config,
    wish,
    before: backendOf(found),
    async open(machine) {
      const { resumed, refused } = await store.resumeRun(id, machine);
      const resume = resumed && resumed.checkpoint;
      if (refused !== undefined) emit({ type: 'storage', error: toErrorReport(refused) });
      if (resumed?.fellBack === true) {
        const error = new MarbleError(
          'store/fell-back',
          'The newest checkpoint of this run is damaged.',
          `It goes on from the one before, of step ${resumed.checkpoint.step}.`,
        );
        emit({ type: 'storage', error: toErrorReport(error) });
      }
      // A log that is still to be cut holds what is made again from here.
      const { record, ...history } = cutHistory(await store.loadRun(id), resume);
      const rolloutSteps = (await store.rolloutSteps(id)).filter((step) => step <= record.step);
      return { kept: { ...history, record: { ...record, config, machine }, rolloutSteps }, resume, store };
    },
  };
}
