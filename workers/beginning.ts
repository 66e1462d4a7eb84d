/** What a training begins with: a new run, or a kept one and the checkpoint from which it goes on. */
import { MarbleError, toErrorReport } from '../src/error';
import type { RunConfig } from '../src/run/config';
import type { ImportedItems } from '../src/rl/data';
import type { Checkpoint } from '../src/run/events';
import { emptyHistory } from '../src/run/history';
import { importedId, importedIds } from '../src/run/imported';
import { newRunRecord } from '../src/store/runs';
import type { Store } from '../src/store/store';
import type { Item } from '../src/tom/item';
import type { BackendWish, ChosenBackend, KeptRun, WorkerEvent } from './protocol';

/** A run that is about to train. */
export interface Beginning {
  /** Of a run that goes on; null for a new one. */
  id: string | null;
  config: RunConfig;
  wish: BackendWish;
  /** What a run that goes on was begun on. */
  before: ChosenBackend | null;
  /** The imported data that the run needs. Rejects with `store/no-dataset` where this browser has not got it. */
  imported(): Promise<ImportedItems>;
  /** Called once the model is loaded: nothing is written for a run that cannot begin. */
  open(machine: Record<string, unknown>): Promise<OpenedRun>;
}

/** What a run is written by while it trains. */
export type RunWriter = Pick<Store, 'appendEvents' | 'saveCheckpoint' | 'updateRun'>;

export interface OpenedRun {
  kept: KeptRun;
  resume: Checkpoint | null;
  /** Whether the storage holds that checkpoint. */
  isResumeKept: boolean;
  /** Null where nothing can be kept. */
  store: RunWriter | null;
}

/** The items of every imported data set that a configuration names; the store is not opened for none. */
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
    imported: () => importedItems(config, openedStore),
    async open(machine) {
      const empty = { ...emptyHistory, rolloutSteps: [] };
      try {
        const store = await openedStore();
        const record = await store.createRun(config, name, machine);
        return { kept: { record, ...empty }, resume: null, isResumeKept: true, store };
      } catch (thrown) {
        emit({ type: 'storage', error: toErrorReport(thrown) });
        const record = newRunRecord(config, name, machine);
        return { kept: { record, ...empty }, resume: null, isResumeKept: false, store: null };
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
  const { completedOwn } = await import('../src/share/older-config');
  const config = completedOwn(found.config);
  return {
    id,
    config,
    wish,
    imported: () => importedItems(config, () => Promise.resolve(store)),
    before: (found.machine.backend as ChosenBackend | undefined) ?? null,
    async open(machine) {
      const { resumed } = await store.resumeRun(id);
      await store.updateRun(id, { machine });
      if (resumed?.fellBack === true) {
        const error = new MarbleError(
          'store/fell-back',
          'The newest checkpoint of this run is damaged.',
          `It goes on from the one before, of step ${resumed.checkpoint.step}.`,
        );
        emit({ type: 'storage', error: toErrorReport(error) });
      }
      const { record, ...history } = await store.loadRun(id);
      const kept = { ...history, record: { ...record, config }, rolloutSteps: await store.rolloutSteps(id) };
      const resume = resumed && {
        ...resumed.checkpoint,
        config: completedOwn(resumed.checkpoint.config),
      };
      return { kept, resume, isResumeKept: true, store };
    },
  };
}
