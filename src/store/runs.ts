/**
 * Runs: their records, logs and checkpoints, each change in one transaction.
 *
 * What holds after a crash at any moment: a checkpoint is in the store whole or not at all, together with the log up
 * to its step; the last one acknowledged is there. What the log holds beyond the checkpoint is shown until the run
 * goes on, and cut off then, so that no step is ever told twice.
 */
import { newRunRecord } from '../run/record/new-run';
import { promisifyRequest, type UseStore } from 'idb-keyval';
import { MarbleError } from '../base/error';
import type { RunConfig } from '../run/config/config';
import type { Alert, Checkpoint, StepRecord, TrainerEvent } from '../run/record/events';
import type { Rollout } from '../run/record/rollout-record';
import {
  findBestCheckpoint,
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
  type LogKey,
} from './keys';
import { createLog, type RunLog } from './log';
import { recordAfter, type RunHistory } from '../run/record/history';
import type { Evaluation } from '../run/record/evaluation';
import type { RunRecord } from '../run/record/run-record';

async function readRun(store: IDBObjectStore, runId: string): Promise<RunRecord> {
  const record = await readOne<RunRecord>(store, ['run', runId]);
  if (record !== undefined) return record;
  throw new MarbleError(
    'store/no-run',
    `There is no run ${runId} in this browser.`,
    'Choose one from the list.',
  );
}

function goneOnElsewhere(): MarbleError {
  return new MarbleError(
    'store/gone-on-elsewhere',
    'Another tab has gone on with this run since: what this one still had of it is not written.',
    'Open the run from the list; its steps come out the same.',
  );
}

function putRun(store: IDBObjectStore, record: RunRecord): RunRecord {
  store.put(record, ['run', record.id]);
  return record;
}

async function rolloutKeys(store: IDBObjectStore, runId: string): Promise<LogKey[]> {
  const keys = await promisifyRequest(store.getAllKeys(keysFrom('rollouts', runId)));
  return keys as LogKey[];
}

/** What a run's record says after these events and this checkpoint. */
function changedRecord(
  record: RunRecord,
  events: readonly TrainerEvent[],
  prepared: PreparedCheckpoint | null,
  logLength: number,
): RunRecord {
  const saved: TrainerEvent[] =
    prepared === null ? [] : [{ type: 'checkpoint', checkpoint: prepared.checkpoint, best: prepared.best }];
  return { ...[...events, ...saved].reduce(recordAfter, record), logLength, updatedAt: Date.now() };
}

/** Every method rejects with MarbleError `store/full` or `store/unavailable` when the browser's storage fails. */
export type RunStore = ReturnType<typeof createRunStore>;

export function createRunStore(use: UseStore) {
  const logs = new Map<string, RunLog>();
  /** What is to be done before the next write to a run, by its id. */
  const cuts = new Map<string, (store: IDBObjectStore) => Promise<RunRecord>>();

  async function logOf(runId: string): Promise<RunLog> {
    const known = logs.get(runId);
    if (known !== undefined) return known;
    const { logLength } = await use('readonly', (store) => readRun(store, runId));
    const log = logs.get(runId) ?? createLog(runId, logLength); // another call may have been as fast
    logs.set(runId, log);
    return log;
  }

  async function commit(
    runId: string,
    events: readonly TrainerEvent[],
    prepared: PreparedCheckpoint | null,
  ): Promise<void> {
    const log = await logOf(runId);
    log.append(events);
    const entries = [...log.waiting()];
    const standing = log.standing();
    const length = log.length();
    try {
      await use('readwrite', async (store) => {
        const record = await (cuts.get(runId)?.(store) ?? readRun(store, runId));
        if (record.logLength !== log.stored()) throw goneOnElsewhere();
        for (const { key, value } of entries) store.put(value, key);
        if (prepared !== null) await putCheckpoint(store, runId, prepared, length);
        putRun(store, changedRecord(record, standing, prepared, length));
      });
      cuts.delete(runId);
      log.taken(entries, standing, length);
    } catch (error) {
      log.refused();
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
      return { record, steps, evals, alerts };
    });

  return {
    async createRun(config: RunConfig, name: string, machine: Record<string, unknown>): Promise<RunRecord> {
      const record = newRunRecord(config, name, machine);
      logs.set(record.id, createLog(record.id, 0));
      return use('readwrite', (store) => putRun(store, record));
    },

    /** Newest first. */
    listRuns: () => use('readonly', (store) => readNewest<RunRecord>(store, 'run')),

    loadRun,

    /** Steps with kept rollouts, ascending. */
    rolloutSteps: (runId: string) =>
      use('readonly', async (store) => (await rolloutKeys(store, runId)).map(([, , , step]) => step)),

    loadRollouts: (runId: string, step: number) =>
      use('readonly', async (store) => {
        const keys = (await rolloutKeys(store, runId)).filter((key) => key[3] === step);
        const found = await Promise.all(keys.map((key) => readOne<Rollout[]>(store, key)));
        return found.flatMap((rollouts) => rollouts ?? []);
      }),

    /** The rollouts of one step after the other, each read when it is asked for. */
    async *rolloutBatches(runId: string): AsyncGenerator<Rollout[], void, void> {
      for (const key of await use('readonly', (store) => rolloutKeys(store, runId))) {
        yield (await use('readonly', (store) => readOne<Rollout[]>(store, key))) ?? [];
      }
    },

    /** @throws MarbleError `store/no-run` */
    updateRun: (runId: string, change: Partial<Pick<RunRecord, 'notes' | 'status'>>) =>
      use('readwrite', async (store) => {
        const record = await readRun(store, runId);
        return putRun(store, { ...record, ...change, updatedAt: Date.now() });
      }),

    async deleteRun(runId: string): Promise<void> {
      logs.delete(runId);
      await use('readwrite', (store) => deleteRunKeys(store, runId));
    },

    /** Keeps a run from a file: see there. */
    async keepRun(
      history: RunHistory,
      rollouts: RolloutBatches,
      checkpoint: Checkpoint | null,
    ): Promise<ImportedRun> {
      const { keepRun } = await import('./keep-run'); // nobody who trains needs it
      return keepRun(use, loadRun, history, rollouts, checkpoint);
    },

    /**
     * Adds what the trainer said to the run's log. What a failure leaves out goes in with the next call that succeeds.
     *
     * @throws MarbleError `store/gone-on-elsewhere` where another tab has trained the run since
     */
    appendEvents: (runId: string, events: readonly TrainerEvent[]) => commit(runId, events, null),

    /**
     * Keeps a checkpoint and the log up to it in one transaction; when this resolves, both survive a crash.
     *
     * @param checkpoint - not to be changed until this settles
     * @param events - what the trainer said since the last call
     * @param options - `best`: also kept as the one with the best evaluation
     */
    async saveCheckpoint(
      runId: string,
      checkpoint: Checkpoint,
      events: readonly TrainerEvent[] = [],
      { best = false } = {},
    ): Promise<void> {
      await commit(runId, events, await prepareCheckpoint(checkpoint, best));
    },

    /** Only reads: another tab may be training this run. Null before its first checkpoint. */
    loadCheckpoint: (runId: string) => findCheckpoint(use, runId),

    /** Null where there is none, or where it is damaged. */
    loadBestCheckpoint: (runId: string) => findBestCheckpoint(use, runId),

    /**
     * Cuts the log where the checkpoint stands, for a trainer that goes on from there: only under the trainer's lock.
     *
     * @param machine - on which it goes on
     * @returns `resumed`: null before the first checkpoint; `refused`: storage that is full can be read, and the log is
     *   cut by the first write that it takes
     */
    async resumeRun(
      runId: string,
      machine?: Record<string, unknown>,
    ): Promise<{ resumed: LoadedCheckpoint | null; refused?: MarbleError }> {
      const resumed = await findCheckpoint(use, runId);
      const logLength = resumed?.logLength ?? 0;
      const step = resumed?.checkpoint.step ?? 0;
      let seen: number | null = null;
      const cut = async (store: IDBObjectStore): Promise<RunRecord> => {
        const before = await readRun(store, runId);
        if (before.logLength !== (seen ??= before.logLength)) throw goneOnElsewhere();
        for (const kind of logKinds) store.delete(logFrom(kind, runId, logLength));
        if (resumed?.damaged) {
          store.delete(['checkpoint', runId, resumed.damaged]);
          store.delete(['weights', runId, resumed.damaged]);
        }
        return putRun(store, {
          ...before,
          ...(machine && { machine }),
          status: 'running',
          failure: undefined,
          step,
          checkpointStep: resumed && step,
          logLength,
          updatedAt: Date.now(),
        });
      };
      cuts.delete(runId);
      try {
        await use('readwrite', cut);
        return { resumed };
      } catch (thrown) {
        if (!(thrown instanceof MarbleError && thrown.code === 'store/full')) throw thrown;
        cuts.set(runId, cut);
        return { resumed, refused: thrown };
      } finally {
        logs.set(runId, createLog(runId, logLength));
      }
    },
  };
}
