/**
 * The one object store's keys, all arrays, so that whatever belongs together is one range of keys and one transaction.
 *
 *     ['run', id]                         RunRecord
 *     [kind, id, sequence, step]          one event of the run's log: 'step', 'rollouts', 'eval', 'alert'
 *     ['checkpoint', id, slot]            CheckpointHead
 *     ['weights', id, slot]               Checkpoint
 *     ['import', id]                      ImportMark: of a run that is being kept from a file
 *     ['sweep', id]                       SweepRecord
 *     ['dataset', id]                     DatasetRecord
 *     ['items', id]                       Item[]
 *     ['tiles', adapter]                  TileChoices
 *
 * The log of a run only grows. A checkpoint remembers how long the log was; to resume is to cut it there.
 */
import { promisifyRequest } from 'idb-keyval';

export const logKinds = ['step', 'rollouts', 'eval', 'alert'] as const;
export type LogKind = (typeof logKinds)[number];
export type LogKey = [kind: LogKind, runId: string, sequence: number, step: number];

/** Two generations that take turns, and the best by evaluation. */
export type Slot = 'even' | 'odd' | 'best';

/** Every key that begins with `start` (arrays sort after all numbers and texts). */
export function keysFrom(...start: (string | number)[]): IDBKeyRange {
  return IDBKeyRange.bound(start, [...start, []]);
}

/** The log of one kind from a sequence number on. */
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
 * All records of a kind, newest first. Whatever stands there has the id of its key, by which it can be deleted.
 */
export async function readNewest<T extends { id: string; createdAt: number }>(
  store: IDBObjectStore,
  kind: 'run' | 'sweep' | 'dataset',
): Promise<T[]> {
  const [keys, records] = await Promise.all([
    promisifyRequest(store.getAllKeys(keysFrom(kind))),
    readRange<Partial<T> | null>(store, keysFrom(kind)),
  ]);
  const found = records.map((record, place) => ({ ...record, id: (keys[place] as string[])[1] }) as T);
  const when = ({ createdAt }: { createdAt: unknown }): number => Number(createdAt) || 0;
  return found.sort((a, b) => when(b) - when(a));
}

/** In the order of the keys. */
export async function readRange<T>(store: IDBObjectStore, range: IDBKeyRange): Promise<T[]> {
  return (await promisifyRequest(store.getAll(range))) as T[];
}
