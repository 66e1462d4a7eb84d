/**
 * Imports a run from a file under a new id, completely or not at all. Its rollouts can exceed the memory, therefore they are
 * written step by step. The run's record is written last, since a run without a record is invisible. A mark and a
 * lock hold the id while the import runs. A later import deletes the data of a mark without a lock, for example after a
 * crash of the tab.
 */
import { newId } from '../base/digest';
import { MarbleError } from '../base/error';
import type { UseStore } from 'idb-keyval';
import type { Checkpoint, TrainerEvent } from '../run/record/events';
import type { Rollout } from '../run/record/rollout-record';
import { prepareCheckpoint, putCheckpoint, recordHash } from './checkpoints';
import { placedEvents, type Placed } from './cut-history';
import { deleteRunKeys, keysFrom, readOne, readRange, createLog } from './keys';
import { unlessInUse, whileIdle } from './trainer-lock';
import type { RunHistory } from '../run/record/history';
import type { RunRecord, RunStatus } from '../run/record/run-record';

/** Rollouts in batches of one step, in order of the steps. */
export type RolloutBatches = Iterable<readonly Rollout[]> | AsyncIterable<readonly Rollout[]>;

async function deleteAbandoned(use: UseStore): Promise<void> {
  const marks = await use('readonly', (store) => readRange<{ id: string }>(store, keysFrom('import')));
  for (const { id } of marks) {
    await unlessInUse(id, () =>
      use('readwrite', async (store) => {
        // One transaction writes the record and deletes the mark, so a mark without a record is an unfinished import.
        if ((await readOne(store, ['run', id])) === undefined) deleteRunKeys(store, id);
        store.delete(['import', id]);
      }),
    );
  }
}

/** Finds a stored run with the same content. Notes and status may differ. */
async function sameRunAs(
  use: UseStore,
  loadRun: (id: string) => Promise<RunHistory>,
  history: RunHistory,
  checkpointStep: number | null,
): Promise<RunRecord | null> {
  const content = ({ record, steps, evals, alerts }: RunHistory): Promise<string> =>
    recordHash({ config: record.config, steps, evals, alerts });
  const runs = await use('readonly', (store) => readRange<RunRecord>(store, keysFrom('run')));
  const alike = runs.filter(
    (run) => run.createdAt === history.record.createdAt && run.checkpointStep === checkpointStep,
  );
  for (const run of alike) {
    if ((await content(await loadRun(run.id))) === (await content(history))) return run;
  }
  return null;
}

/** Status of a run from a file. A run that was training when it was exported is not training here. */
function statusOfFile({ status, step, config }: RunRecord): RunStatus {
  if (status !== 'running' && status !== 'paused') return status;
  return step >= config.steps ? 'done' : 'stopped';
}

/** The run's log in batches with the rollouts of at most one step. */
async function* logOf(
  history: RunHistory,
  rollouts: RolloutBatches,
  checkpoint: Checkpoint | null,
): AsyncGenerator<Placed[]> {
  const remaining = placedEvents(history, checkpoint);
  for await (const batch of rollouts) {
    if (batch.length === 0) continue;
    const [{ step }] = batch;
    const before = remaining.findIndex(({ after }) => after >= step);
    const event: TrainerEvent = { type: 'rollouts', step, rollouts: [...batch] };
    yield [...remaining.splice(0, before === -1 ? remaining.length : before), { after: step, event }];
  }
  // A larger transaction could exceed the timeout of the storage.
  while (remaining.length > 0) yield remaining.splice(0, 5000);
}

export interface ImportedRun {
  record: RunRecord;
  /** False if the store already has a run with the same content; the import then stores nothing. */
  isNew: boolean;
  /** Fields of the file that this version no longer has and has left out; absent for none. */
  ignored?: readonly string[];
}

/**
 * @param loadRun the store's `loadRun`
 * @throws MarbleError `store/full`, `store/unavailable`, and errors of `rollouts`; the import then stores nothing
 */
export async function keepRun(
  use: UseStore,
  loadRun: (id: string) => Promise<RunHistory>,
  history: RunHistory,
  rollouts: RolloutBatches,
  checkpoint: Checkpoint | null,
): Promise<ImportedRun> {
  await deleteAbandoned(use);
  const existing = await sameRunAs(use, loadRun, history, checkpoint && checkpoint.step);
  if (existing !== null) return { record: existing, isNew: false };
  const id = newId();
  const record = await whileIdle(id, () => importAs(use, id, history, rollouts, checkpoint));
  return { record, isNew: true };
}

async function importAs(
  use: UseStore,
  id: string,
  history: RunHistory,
  rollouts: RolloutBatches,
  checkpoint: Checkpoint | null,
): Promise<RunRecord> {
  const log = createLog(id, 0);
  let lengthAtCheckpoint = 0;
  try {
    await use('readwrite', (store) => {
      store.put({ id }, ['import', id]);
    });
    for await (const placed of logOf(history, rollouts, checkpoint)) {
      log.append(placed.map(({ event }) => event));
      lengthAtCheckpoint += placed.filter(({ after }) => after <= (checkpoint?.step ?? 0)).length;
      const entries = [...log.pending()];
      await use('readwrite', (store) => {
        for (const { key, value } of entries) store.put(value, key);
      });
      log.committed(entries, log.unrecorded(), log.length());
    }
    const prepared = checkpoint && (await prepareCheckpoint(checkpoint));
    const record: RunRecord = {
      ...history.record,
      id,
      status: statusOfFile(history.record),
      checkpointStep: checkpoint && checkpoint.step,
      logLength: log.length(),
    };
    await use('readwrite', async (store) => {
      // Without Web Locks another tab may have deleted the data of this import.
      if ((await readOne(store, ['import', id])) === undefined)
        throw new MarbleError(
          'store/import-cut',
          'Another tab imported a run at the same time and deleted this one.',
          'Import the file again.',
        );
      if (prepared !== null) await putCheckpoint(store, id, prepared, lengthAtCheckpoint);
      store.put(record, ['run', id]);
      store.delete(['import', id]);
    });
    return record;
  } catch (error) {
    // If this fails too the mark remains, and a later import deletes the data.
    await use('readwrite', (store) => {
      deleteRunKeys(store, id);
      store.delete(['import', id]);
    }).catch(() => undefined);
    throw error;
  }
}
