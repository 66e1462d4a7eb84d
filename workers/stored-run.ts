/** The storage's side of a run that begins: its imported items, and its record with the checkpoint to resume from. */
import { MarbleError, toErrorReport, type ErrorReport } from '../src/base/error';
import { runName } from '../src/share/name';
import type { RunConfig } from '../src/run/config/config';
import type { ImportedItems } from '../src/rl/data';
import type { Checkpoint } from '../src/run/record/events';
import { emptyHistory } from '../src/run/record/history';
import { importedId, importedIds } from '../src/run/config/imported';
import { cutHistory } from '../src/store/cut-history';
import type { RunClass, RunRecord } from '../src/run/record/run-record';
import { newRunRecord } from '../src/run/record/new-run';
import type { Store } from '../src/store/store';
import type { Item } from '../src/tom/item';
import type { KeptRun } from './protocol';

type Machine = Record<string, unknown>;
type OpenedStore = () => Promise<Store>;

export interface StoredRun {
  kept: KeptRun;
  resume: Checkpoint | null;
  /** Writes the run during training; null if storage is unavailable. */
  store: Pick<Store, 'appendEvents' | 'saveCheckpoint' | 'updateRun'> | null;
  /** Error of a storage that has refused the run's record; null if it is stored. */
  refusal: ErrorReport | null;
}

/**
 * Loads the items of every imported data set that a configuration names. Opens the store only if there is one.
 *
 * @throws MarbleError `store/no-dataset` if this browser lacks one of them
 */
export async function importedItems(config: RunConfig, openedStore: OpenedStore): Promise<ImportedItems> {
  if (importedIds(config).length === 0) return {};
  const store = await openedStore();
  const load = async (id: string): Promise<Item[]> => (await store.loadDataset(id)).items;
  const trained = importedId(config.data.source);
  return {
    ...(trained !== null && { training: await load(trained) }),
    evaluation: (await Promise.all((config.evaluation.imported ?? []).map(load))).flat(),
  };
}

/**
 * Stores a new run. If storage fails, the run trains, `onFailure` gets the error, and later writes store the run.
 *
 * @throws MarbleError `store/run-exists` if a run has the ID `as`
 */
export async function createRun(
  config: RunConfig,
  machine: Machine,
  { class: ofClass, as }: { class?: RunClass; as?: string },
  openedStore: OpenedStore,
  onFailure: (error: ErrorReport) => void,
): Promise<StoredRun> {
  const created = (record: RunRecord, refusal: ErrorReport | null): StoredRun => ({
    kept: { record, ...emptyHistory, rolloutSteps: [] },
    resume: null,
    store,
    refusal,
  });
  let store: Store | null = null;
  const record = newRunRecord(config, runName(config), machine, ofClass, as);
  try {
    store = await openedStore();
    return created(await store.createRun(record), null);
  } catch (thrown) {
    const refusal = toErrorReport(thrown);
    if (refusal.code === 'store/run-exists') throw thrown;
    onFailure(refusal);
    store?.createLater(record);
    return created(record, refusal);
  }
}

/** Resumes a stored run from its last intact checkpoint. Without a checkpoint it restarts under its own ID. */
export async function resumeRun(
  id: string,
  machine: Machine,
  store: Store,
  onFailure: (error: ErrorReport) => void,
): Promise<StoredRun> {
  const { resumed, refused } = await store.resumeRun(id, machine);
  const resume = resumed && resumed.checkpoint;
  if (refused !== undefined) onFailure(toErrorReport(refused));
  if (resumed?.damaged != null) {
    const error = new MarbleError(
      'store/fell-back',
      'The newest checkpoint of this run is damaged.',
      `It goes on from the one before, of step ${resumed.checkpoint.step}.`,
    );
    onFailure(toErrorReport(error));
  }
  // Drop log entries after the checkpoint, since the resumed run writes them again.
  const { record, ...history } = cutHistory(await store.loadRun(id), resume);
  const rolloutSteps = (await store.rolloutSteps(id)).filter((step) => step <= record.step);
  return { kept: { ...history, record: { ...record, machine }, rolloutSteps }, resume, store, refusal: null };
}
