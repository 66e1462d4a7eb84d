/**
 * Keys of the object store. They are arrays: records that belong together form one key range.
 *
 *     ['run', id]                         RunRecord
 *     [kind, id, sequence, step]          one event of the run's log: 'step', 'rollouts', 'eval', 'alert'
 *     ['checkpoint', id, slot]            CheckpointHead
 *     ['weights', id, slot]               Checkpoint
 *     ['import', id]                      { id }: mark of an import of a run file in progress
 *     ['sweep', id]                       SweepRecord
 *     ['dataset', id]                     DatasetRecord
 *     ['items', id]                       Item[]
 *
 * Training only appends to the log of a run. A checkpoint records the length of the log; resuming truncates it there.
 */
import { promisifyRequest } from 'idb-keyval';
import type { MarbleError } from '../base/error';
import type { TrainerEvent } from '../run/record/events';

export const logKinds = ['step', 'rollouts', 'eval', 'alert'] as const;
export type LogKind = (typeof logKinds)[number];
export type LogKey = [kind: LogKind, runId: string, sequence: number, step: number];

/** Slots of a run's checkpoints: two alternating generations. Runs of earlier versions also have a slot `best`. */
export type Slot = 'even' | 'odd';

/** Range of all keys that begin with `start`. Arrays sort after numbers and strings. */
export function keysFrom(...start: (string | number)[]): IDBKeyRange {
  return IDBKeyRange.bound(start, [...start, []]);
}

/** Range of the log entries of one kind with at least this sequence number. */
export function logFrom(kind: LogKind, runId: string, sequence: number): IDBKeyRange {
  return IDBKeyRange.bound([kind, runId, sequence], [kind, runId, []]);
}

export function deleteRunKeys(store: IDBObjectStore, runId: string): void {
  for (const kind of ['run', 'checkpoint', 'weights', ...logKinds]) store.delete(keysFrom(kind, runId));
}

export async function readOne<T>(store: IDBObjectStore, key: IDBValidKey): Promise<T | undefined> {
  return (await promisifyRequest(store.get(key))) as T | undefined;
}

/**
 * Reads all records of a kind, newest first. Takes the id from the key, so that even an invalid record can be deleted.
 */
export async function readNewest<T extends { id: string; createdAt: number }>(
  store: IDBObjectStore,
  kind: 'run' | 'sweep' | 'dataset',
): Promise<T[]> {
  const [keys, records] = await Promise.all([
    promisifyRequest(store.getAllKeys(keysFrom(kind))),
    readRange<Partial<T> | null>(store, keysFrom(kind)),
  ]);
  const withIds = records.map((record, place) => ({ ...record, id: (keys[place] as string[])[1] }) as T);
  const when = ({ createdAt }: { createdAt: unknown }): number => Number(createdAt) || 0;
  return withIds.sort((a, b) => when(b) - when(a));
}

/** Reads all values of a range in key order. */
export async function readRange<T>(store: IDBObjectStore, range: IDBKeyRange): Promise<T[]> {
  return (await promisifyRequest(store.getAll(range))) as T[];
}

interface LogEntry {
  key: LogKey;
  value: unknown;
}

/** Limit on the steps whose rollouts, the bulk of a log, stay in memory while the storage is full. */
const pendingRollouts = 20;

function entryOf(event: TrainerEvent): [kind: LogKind, step: number, value: unknown] | null {
  if (event.type === 'step') return ['step', event.record.step, event.record];
  if (event.type === 'rollouts') return ['rollouts', event.step, event.rollouts];
  if (event.type === 'alert') return ['alert', event.alert.step, event.alert];
  if (event.type !== 'eval') return null;
  const { type, ...value } = event;
  return [type, event.report.step, value];
}

/**
 * A run's log: its step records, rollouts, evaluations and alerts in chronological order. Events stay in memory until a
 * transaction has stored them. After a failure of the storage the next successful transaction stores them.
 */
export type RunLog = ReturnType<typeof createLog>;

const endingTypes: readonly TrainerEvent['type'][] = ['done', 'failed'];

/** @param from length of the log in the store */
export function createLog(runId: string, from: number) {
  let next = from;
  let stored = from;
  /** Lengths of the log with writes that the storage did not answer in time, and may have completed. */
  const unanswered = new Set<number>();
  let pending: LogEntry[] = [];
  let unrecorded: readonly TrainerEvent[] = [];
  return {
    /** Entries that are not stored yet. */
    pending: (): readonly LogEntry[] => pending,
    /** The last step and the end of the run, until a transaction has updated the run's record with them. */
    unrecorded: () => unrecorded,
    /** Length of the log, pending entries included. */
    length: () => next,
    /** Length of the stored log at the last read or write of this tab. */
    stored: () => stored,
    isUnanswered: (length: number) => unanswered.has(length),
    append(events: readonly TrainerEvent[]): void {
      for (const event of events) {
        if (event.type === 'step') unrecorded = [event];
        else if (endingTypes.includes(event.type)) unrecorded = [...unrecorded, event];
        const entry = entryOf(event);
        if (entry === null) continue;
        const [kind, step, value] = entry;
        pending.push({ key: [kind, runId, next, step], value });
        next += 1;
      }
    },
    /** Updates the state after a transaction that stored these entries and a record with these events and this length. */
    committed(entries: readonly LogEntry[], recorded: readonly TrainerEvent[], length: number): void {
      unrecorded = unrecorded.filter((event) => !recorded.includes(event));
      const storedEntries = new Set(entries);
      pending = pending.filter((entry) => !storedEntries.has(entry));
      stored = length;
      unanswered.clear();
    },
    /** Updates the state after a failed transaction: drops the oldest rollouts beyond the limit. */
    failed({ code }: Partial<MarbleError>, length: number): void {
      if (code === 'store/unavailable') unanswered.add(length);
      const rollouts = pending.filter(({ key }) => key[0] === 'rollouts');
      const dropped = new Set(rollouts.slice(0, -pendingRollouts));
      pending = pending.filter((entry) => !dropped.has(entry));
    },
  };
}
