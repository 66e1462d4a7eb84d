/** Starting points of a training: a new run, or a stored run and the checkpoint that it resumes from. */
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
  /** ID of a resumed run; null for a new one. */
  id: string | null;
  config: RunConfig;
  wish: BackendWish;
  /** Original backend of a resumed run; null for a new one. */
  before: ChosenBackend | null;
  /** Called after the model is loaded, so a run that cannot begin leaves nothing in storage. */
  open(machine: Record<string, unknown>): Promise<OpenedRun>;
}

/** The part of the store that writes a run during training. */
export type RunWriter = Pick<Store, 'appendEvents' | 'saveCheckpoint' | 'updateRun'>;

export interface OpenedRun {
  kept: KeptRun;
  resume: Checkpoint | null;
  /** Null if storage is unavailable. */
  store: RunWriter | null;
}

/**
 * Loads the items of every imported data set that a configuration names. Opens the store only if there is one.
 *
 * @throws MarbleError `store/no-dataset` if this browser lacks one of them
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

/** A new run. If storage fails, it trains without being stored and the page gets the error. */
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

/** A stored run that resumes from its last intact checkpoint. Without a checkpoint it restarts under its own ID. */
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
      // Drop log entries after the checkpoint, since the resumed run writes them again.
      const { record, ...history } = cutHistory(await store.loadRun(id), resume);
      const rolloutSteps = (await store.rolloutSteps(id)).filter((step) => step <= record.step);
      return { kept: { ...history, record: { ...record, config, machine }, rolloutSteps }, resume, store };
    },
  };
}
