/**
 * Keeps a run from a file under a new id, all of it or nothing. Its rollouts can be more than a memory holds, so they are
 * written a step at a time; the run's own record, without which nothing of it is ever seen, goes last. A mark says which
 * id is being written: what a tab that died has left behind one is deleted by a later import.
 */
import { newId } from '../base/digest';
import type { UseStore } from 'idb-keyval';
import type { Checkpoint, TrainerEvent } from '../run/record/events';
import type { Rollout } from '../run/record/rollout-record';
import { prepareCheckpoint, putCheckpoint } from './checkpoints';
import { placedEvents, type Placed } from './cut-history';
import { fingerprint } from './fingerprint';
import { deleteRunKeys, keysFrom, readOne, readRange } from './keys';
import { createLog } from './log';
import type { RunHistory } from '../run/record/history';
import type { RunRecord, RunStatus } from '../run/record/run-record';

/** Of one step after the other. */
export type RolloutBatches = Iterable<readonly Rollout[]> | AsyncIterable<readonly Rollout[]>;

interface ImportMark {
  id: string;
  /** Milliseconds since 1970. */
  startedAt: number;
}

/** No import takes as long. */
const abandonedAfter = 3_600_000;

async function deleteAbandoned(use: UseStore): Promise<void> {
  await use('readwrite', async (store) => {
    const marks = await readRange<ImportMark>(store, keysFrom('import'));
    for (const { id, startedAt } of marks) {
      if (Date.now() - startedAt < abandonedAfter) continue;
      // A mark outlives the record only where the last transaction, which takes it away, was not made.
      if ((await readOne(store, ['run', id])) === undefined) deleteRunKeys(store, id);
      store.delete(['import', id]);
    }
  });
}

/** The kept run that holds what this one holds; notes and status may differ. */
async function sameRunAs(
  use: UseStore,
  loadRun: (id: string) => Promise<RunHistory>,
  history: RunHistory,
  checkpointStep: number | null,
): Promise<RunRecord | null> {
  const content = ({ record, steps, evals, alerts }: RunHistory): Promise<string> =>
    fingerprint({ config: record.config, steps, evals, alerts });
  const runs = await use('readonly', (store) => readRange<RunRecord>(store, keysFrom('run')));
  const alike = runs.filter(
    (run) => run.createdAt === history.record.createdAt && run.checkpointStep === checkpointStep,
  );
  for (const run of alike) {
    if ((await content(await loadRun(run.id))) === (await content(history))) return run;
  }
  return null;
}

/** A file may be of a run that was still going: nobody trains it here, and it may have ended since. */
function statusOfFile({ status, step, config }: RunRecord): RunStatus {
  if (status !== 'running' && status !== 'paused') return status;
  return step >= config.steps ? 'done' : 'stopped';
}

/** The whole log, a step's rollouts at a time. */
async function* logOf(
  history: RunHistory,
  rollouts: RolloutBatches,
  checkpoint: Checkpoint | null,
): AsyncGenerator<Placed[]> {
  const waiting = placedEvents(history, checkpoint);
  for await (const batch of rollouts) {
    if (batch.length === 0) continue;
    const [{ step }] = batch;
    const before = waiting.findIndex(({ after }) => after >= step);
    const event: TrainerEvent = { type: 'rollouts', step, rollouts: [...batch] };
    yield [...waiting.splice(0, before === -1 ? waiting.length : before), { after: step, event }];
  }
  // No transaction is to take longer than the storage is waited for.
  while (waiting.length > 0) yield waiting.splice(0, 5000);
}

export interface ImportedRun {
  record: RunRecord;
  /** False where a run of the same content was kept already: it is not kept twice. */
  isNew: boolean;
}

/**
 * @param loadRun of the store
 * @throws MarbleError `store/full`, `store/unavailable`, and what `rollouts` throws; nothing is kept then
 */
export async function keepRun(
  use: UseStore,
  loadRun: (id: string) => Promise<RunHistory>,
  history: RunHistory,
  rollouts: RolloutBatches,
  checkpoint: Checkpoint | null,
): Promise<ImportedRun> {
  await deleteAbandoned(use);
  const kept = await sameRunAs(use, loadRun, history, checkpoint && checkpoint.step);
  if (kept !== null) return { record: kept, isNew: false };
  const id = newId();
  const mark: ImportMark = { id, startedAt: Date.now() };
  const log = createLog(id, 0);
  let lengthAtCheckpoint = 0;
  try {
    await use('readwrite', (store) => {
      store.put(mark, ['import', id]);
    });
    for await (const placed of logOf(history, rollouts, checkpoint)) {
      log.append(placed.map(({ event }) => event));
      lengthAtCheckpoint += placed.filter(({ after }) => after <= (checkpoint?.step ?? 0)).length;
      const entries = [...log.waiting()];
      await use('readwrite', (store) => {
        for (const { key, value } of entries) store.put(value, key);
      });
      log.taken(entries, log.standing(), log.length());
    }
    const prepared = checkpoint && (await prepareCheckpoint(checkpoint, false));
    const record: RunRecord = {
      ...history.record,
      id,
      status: statusOfFile(history.record),
      checkpointStep: checkpoint && checkpoint.step,
      logLength: log.length(),
    };
    await use('readwrite', async (store) => {
      if (prepared !== null) await putCheckpoint(store, id, prepared, lengthAtCheckpoint);
      store.put(record, ['run', id]);
      store.delete(['import', id]);
    });
    return { record, isNew: true };
  } catch (error) {
    // Where even this fails the mark stays, and a later import tries again.
    await use('readwrite', (store) => {
      deleteRunKeys(store, id);
      store.delete(['import', id]);
    }).catch(() => undefined);
    throw error;
  }
}
