/**
 * Runs: their records, logs and checkpoints. Each change is one transaction.
 *
 * Invariants after a crash at any time: a checkpoint is stored completely or not at all, together with the log up to its
 * step, and the last acknowledged checkpoint is stored. The page shows log entries beyond the checkpoint until the run
 * resumes. Resuming truncates the log at the checkpoint, so no step occurs twice.
 */
import { promisifyRequest, type UseStore } from 'idb-keyval';
import { MarbleError } from '../base/error';
import { evaluationWithoutDeleted, otherQuestions, withoutDeleted } from '../run/config/deleted-fields';
import type { Alert, Checkpoint, StepRecord, TrainerEvent } from '../run/record/events';
import type { Rollout } from '../run/record/rollout-record';
import {
  findCheckpoint,
  prepareCheckpoint,
  putCheckpoint,
  type LoadedCheckpoint,
  type PreparedCheckpoint,
} from './checkpoints';
import type { ImportedRun, RolloutBatches } from './keep-run';
import {
  deleteRunKeys,
  keysFrom,
  logFrom,
  logKinds,
  readNewest,
  readOne,
  readRange,
  createLog,
  type LogKey,
  type RunLog,
} from './keys';
import { recordAfter, type RunHistory } from '../run/record/history';
import type { Evaluation } from '../run/record/evaluation';
import { renamed } from '../run/verdict/ending';
import type { RunRecord } from '../run/record/run-record';

async function readRun(store: IDBObjectStore, runId: string): Promise<RunRecord> {
  const record = await readOne<RunRecord>(store, ['run', runId]);
  if (record !== undefined) return withoutDeleted(record, 'config');
  throw new MarbleError(
    'store/no-run',
    `There is no run ${runId} in this browser.`,
    'It was deleted, or the data of this site were cleared. Save it as a file if it is open here, or choose a run from the list.',
  );
}

function resumedElsewhere(): MarbleError {
  return new MarbleError(
    'store/gone-on-elsewhere',
    'Another tab has resumed this run. The steps that this tab has not stored are discarded.',
    'Open the run from the list; the other tab computes the same steps.',
  );
}

function putRun(store: IDBObjectStore, record: RunRecord): RunRecord {
  store.put(record, ['run', record.id]);
  return record;
}

/**
 * @param isAgain - true for a record that an earlier attempt may have added without an answer in time
 * @throws MarbleError `store/run-exists`
 */
async function addRun(store: IDBObjectStore, record: RunRecord, isAgain = false): Promise<RunRecord> {
  const present = await readOne<RunRecord>(store, ['run', record.id]);
  const isSame = isAgain && present?.createdAt === record.createdAt && present.logLength === 0;
  if (present === undefined || isSame) return putRun(store, record);
  throw new MarbleError(
    'store/run-exists',
    'This browser already has a run with this id.',
    'Reload the page, and resume that run.',
  );
}

async function rolloutKeys(store: IDBObjectStore, runId: string): Promise<LogKey[]> {
  const keys = await promisifyRequest(store.getAllKeys(keysFrom('rollouts', runId)));
  return keys as LogKey[];
}

/** Evaluation under the current ending names, without deleted fields, as a file of the run holds it. */
function readAgain(stored: Evaluation): Evaluation {
  const evaluation = evaluationWithoutDeleted(stored);
  const { verdict } = evaluation;
  return verdict === undefined ? evaluation : { ...evaluation, verdict: renamed(verdict) };
}

/** Run record after these events and this checkpoint. */
function changedRecord(
  record: RunRecord,
  events: readonly TrainerEvent[],
  prepared: PreparedCheckpoint | null,
  logLength: number,
): RunRecord {
  const saved: TrainerEvent[] =
    prepared === null ? [] : [{ type: 'checkpoint', checkpoint: prepared.checkpoint }];
  return { ...[...events, ...saved].reduce(recordAfter, record), logLength, updatedAt: Date.now() };
}

/** Every method rejects with MarbleError `store/full` or `store/unavailable` when the browser's storage fails. */
export type RunStore = ReturnType<typeof createRunStore>;

export function createRunStore(use: UseStore) {
  const logs = new Map<string, RunLog>();
  /** Refused first writes by run id, applied with the next write to the run: a new record, or a truncation of the log. */
  const deferred = new Map<string, (store: IDBObjectStore) => Promise<RunRecord>>();
  /** Length of the log at each checkpoint, also if the storage takes it only after later steps. */
  const lengthsAt = new WeakMap<Checkpoint, number>();

  async function commit(
    runId: string,
    events: readonly TrainerEvent[],
    checkpoint: Checkpoint | null,
  ): Promise<void> {
    const log = logs.get(runId) ?? createLog(runId, 0); // a deleted run refuses the write
    log.append(events);
    const prepared = checkpoint && (await prepareCheckpoint(checkpoint));
    const entries = [...log.pending()];
    const unrecorded = log.unrecorded();
    const length = log.length();
    const lengthThere = (checkpoint && lengthsAt.get(checkpoint)) ?? length;
    if (checkpoint !== null) lengthsAt.set(checkpoint, lengthThere);
    try {
      await use('readwrite', async (store) => {
        const present = await readOne<RunRecord>(store, ['run', runId]);
        const isLate = present !== undefined && log.isUnanswered(present.logLength);
        const record = isLate ? present : await (deferred.get(runId)?.(store) ?? readRun(store, runId));
        if (!isLate && record.logLength !== log.stored()) throw resumedElsewhere();
        for (const { key, value } of entries) store.put(value, key);
        if (prepared !== null) await putCheckpoint(store, runId, prepared, lengthThere);
        putRun(store, changedRecord(record, unrecorded, prepared, length));
      });
      deferred.delete(runId);
      log.committed(entries, unrecorded, length);
    } catch (error) {
      log.failed(error as Partial<MarbleError>, length);
      throw error;
    }
  }

  /** @throws MarbleError `store/no-run` */
  const loadRun = (runId: string): Promise<RunHistory> =>
    use('readonly', async (store) => {
      const [record, steps, evals, alerts] = await Promise.all([
        readRun(store, runId),
        readRange<StepRecord>(store, keysFrom('step', runId)),
        readRange<Evaluation>(store, keysFrom('eval', runId)),
        readRange<Alert>(store, keysFrom('alert', runId)),
      ]);
      return { record, steps, evals: evals.map(readAgain), alerts };
    });

  return {
    /**
     * Adds a new run, made by `newRunRecord`.
     *
     * @throws MarbleError `store/run-exists`
     */
    createRun: (record: RunRecord) =>
      use('readwrite', async (store) => {
        const added = await addRun(store, record);
        logs.set(record.id, createLog(record.id, 0));
        return added;
      }),

    /** Adds a run whose creation storage has refused. The first successful write to the run adds its record. */
    createLater(record: RunRecord): void {
      logs.set(record.id, createLog(record.id, 0));
      deferred.set(record.id, (store) => addRun(store, record, true));
    },

    /** Newest first. */
    listRuns: () =>
      use('readonly', async (store) =>
        (await readNewest<RunRecord>(store, 'run')).map((run) => withoutDeleted(run, 'config')),
      ),

    loadRun,

    /** Steps with stored rollouts, ascending. */
    rolloutSteps: (runId: string) =>
      use('readonly', async (store) => (await rolloutKeys(store, runId)).map(([, , , step]) => step)),

    loadRollouts: (runId: string, step: number) =>
      use('readonly', async (store) => {
        const keys = (await rolloutKeys(store, runId)).filter((key) => key[3] === step);
        const batches = await Promise.all(keys.map((key) => readOne<Rollout[]>(store, key)));
        return batches.flatMap((rollouts) => rollouts ?? []);
      }),

    /** Yields the rollouts step by step and reads each batch on demand. */
    async *rolloutBatches(runId: string): AsyncGenerator<Rollout[], void, void> {
      for (const key of await use('readonly', (store) => rolloutKeys(store, runId))) {
        yield (await use('readonly', (store) => readOne<Rollout[]>(store, key))) ?? [];
      }
    },

    /** @throws MarbleError `store/no-run` */
    updateRun: (runId: string, change: Pick<RunRecord, 'status'>) =>
      use('readwrite', async (store) =>
        putRun(store, { ...(await readRun(store, runId)), ...change, updatedAt: Date.now() }),
      ),

    async deleteRun(runId: string): Promise<void> {
      await use('readwrite', (store) => deleteRunKeys(store, runId));
      logs.delete(runId);
      deferred.delete(runId);
    },

    /** Imports a run from a file: see `keep-run.ts`. */
    async keepRun(
      history: RunHistory,
      rollouts: RolloutBatches,
      checkpoint: Checkpoint | null,
    ): Promise<ImportedRun> {
      const { keepRun } = await import('./keep-run'); // training does not need it
      return keepRun(use, loadRun, history, rollouts, checkpoint);
    },

    /**
     * Appends events of the trainer to the run's log. After a failure the next successful call stores them.
     *
     * @throws MarbleError `store/gone-on-elsewhere` if another tab has trained the run in the meantime
     */
    appendEvents: (runId: string, events: readonly TrainerEvent[]) => commit(runId, events, null),

    /**
     * Stores a checkpoint and the log up to it in one transaction. When the promise resolves, both survive a crash.
     *
     * @param checkpoint must not change until the promise settles
     * @param events events of the trainer since the last call
     */
    saveCheckpoint(
      runId: string,
      checkpoint: Checkpoint,
      events: readonly TrainerEvent[] = [],
    ): Promise<void> {
      return commit(runId, events, checkpoint);
    },

    /** Loads the newest checkpoint without any write, since another tab may be training the run. Null without a checkpoint. */
    loadCheckpoint: (runId: string) => findCheckpoint(use, runId),

    /**
     * Loads the newest checkpoint and truncates the log there, for a trainer that resumes the run. Requires the trainer's lock.
     *
     * @param machine description of the machine that resumes the run
     * @throws MarbleError `store/other-questions`
     * @returns `resumed`: the checkpoint, or null without one; `refused`: the error of a full storage. The first successful
     *   write then truncates the log
     */
    async resumeRun(
      runId: string,
      machine?: Record<string, unknown>,
    ): Promise<{ resumed: LoadedCheckpoint | null; refused?: MarbleError }> {
      const resumed = await findCheckpoint(use, runId);
      if (resumed?.isOfOthers === true) throw otherQuestions();
      const logLength = resumed?.logLength ?? 0;
      const step = resumed?.checkpoint.step ?? 0;
      let expectedLength: number | null = null;
      const cut = async (store: IDBObjectStore): Promise<RunRecord> => {
        const record = await readRun(store, runId);
        if (record.logLength !== (expectedLength ??= record.logLength)) throw resumedElsewhere();
        for (const kind of logKinds) store.delete(logFrom(kind, runId, logLength));
        if (resumed?.damaged) {
          store.delete(['checkpoint', runId, resumed.damaged]);
          store.delete(['weights', runId, resumed.damaged]);
        }
        return putRun(store, {
          ...record,
          ...(machine && { machine }),
          status: 'running',
          failure: undefined,
          step,
          checkpointStep: resumed && step,
          logLength,
          updatedAt: Date.now(),
        });
      };
      deferred.delete(runId);
      try {
        await use('readwrite', cut);
        return { resumed };
      } catch (thrown) {
        if (!(thrown instanceof MarbleError && thrown.code === 'store/full')) throw thrown;
        deferred.set(runId, cut);
        return { resumed, refused: thrown };
      } finally {
        logs.set(runId, createLog(runId, logLength));
      }
    },
  };
}
