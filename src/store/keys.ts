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
