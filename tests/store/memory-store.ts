/**
 * The browser's storage in memory, for Node: what the store asks of IndexedDB, with transactions that go in whole or not
 * at all. Its calls can be counted, refused, or never answered, as when the tab is killed between two of them.
 */
import type { UseStore } from 'idb-keyval';
import { storageError } from '../../src/store/connection';

type Key = readonly (string | number | Key)[];
interface Range {
  lower: Key;
  upper: Key;
}
export type Entry = readonly [key: Key, value: unknown];
type Call = 'open' | 'get' | 'getAll' | 'getAllKeys' | 'put' | 'delete' | 'commit';

export interface MemoryStore {
  use: UseStore;
  /** All that is kept, in the order of its keys. */
  entries(): Entry[];
  /** Before each call of the storage: what it throws is the storage's answer, and what it waits for holds it up. */
  onCall: (call: Call) => void | Promise<void>;
}

/** Numbers before texts before arrays, and arrays part by part: as IndexedDB has them. */
function compare(a: Key | string | number, b: Key | string | number): number {
  if (typeof a === 'object' && typeof b === 'object') {
    for (let place = 0; place < Math.min(a.length, b.length); place += 1) {
      const order = compare(a[place], b[place]);
      if (order !== 0) return order;
    }
    return a.length - b.length;
  }
  if (typeof a === typeof b) return a < b ? -1 : a > b ? 1 : 0;
  const rank = (key: unknown): number => ['number', 'string', 'object'].indexOf(typeof key);
  return rank(a) - rank(b);
}

/** Where the entries from a key on begin, or those behind it. */
function placeOf(entries: readonly Entry[], key: Key, behind: boolean): number {
  let [first, end] = [0, entries.length];
  while (first < end) {
    const middle = (first + end) >> 1;
    const order = compare(entries[middle][0], key);
    if (order < 0 || (behind && order === 0)) first = middle + 1;
    else end = middle;
  }
  return first;
}

/** A request as IndexedDB makes it, answered later. */
interface Request {
  result?: unknown;
  error?: unknown;
  onsuccess?: () => void;
  onerror?: () => void;
}

interface Transaction {
  entries: readonly Entry[];
  requests: Promise<void>[];
}

/** @param kept - what an earlier life has left */
export function createMemoryStore(kept: readonly Entry[] = []): MemoryStore {
  Object.assign(globalThis, { IDBKeyRange: { bound: (lower: Key, upper: Key) => ({ lower, upper }) } });
  let entries: readonly Entry[] = structuredClone(kept);
  let last: Promise<unknown> = Promise.resolve();

  function objectStore(transaction: Transaction): IDBObjectStore {
    const limits = (asked: Key | Range): [number, number] => {
      const { lower, upper } = 'lower' in asked ? asked : { lower: asked, upper: asked };
      return [placeOf(transaction.entries, lower, false), placeOf(transaction.entries, upper, true)];
    };
    const found = (asked: Key | Range): Entry[] => transaction.entries.slice(...limits(asked));
    const replace = (asked: Key | Range, ...entries: Entry[]): void => {
      const [first, end] = limits(asked);
      transaction.entries = transaction.entries.toSpliced(first, end - first, ...entries);
    };
    const request = (call: Call, answer: () => unknown): Request => {
      const made: Request = {};
      const answered = async (): Promise<void> => {
        try {
          await memory.onCall(call);
          made.result = answer();
        } catch (error) {
          made.error = error;
          made.onerror?.();
          throw error;
        }
        made.onsuccess?.();
      };
      const all = Promise.resolve().then(answered);
      all.catch(() => undefined); // the transaction waits for it below
      transaction.requests.push(all);
      return made;
    };
    return {
      get: (key: Key) => request('get', () => structuredClone(found(key)[0]?.[1])),
      getAll: (range: Range) =>
        request('getAll', () => structuredClone(found(range).map(([, value]) => value))),
      getAllKeys: (range: Range) => request('getAllKeys', () => found(range).map(([key]) => key)),
      put: (value: unknown, key: Key) => {
        const copy = structuredClone(value);
        return request('put', () => replace(key, [key, copy]));
      },
      delete: (asked: Key | Range) => request('delete', () => replace(asked)),
    } as unknown as IDBObjectStore;
  }

  async function transact(
    mode: IDBTransactionMode,
    callback: (store: IDBObjectStore) => unknown,
  ): Promise<unknown> {
    const transaction: Transaction = { entries, requests: [] };
    try {
      await memory.onCall('open');
      const result = await callback(objectStore(transaction));
      await Promise.all(transaction.requests);
      if (mode === 'readwrite') await memory.onCall('commit');
      entries = transaction.entries;
      return result;
    } catch (error) {
      throw storageError(error);
    }
  }

  const memory: MemoryStore = {
    use: ((mode: IDBTransactionMode, callback: (store: IDBObjectStore) => unknown) => {
      const turn = last.then(() => transact(mode, callback));
      last = turn.catch(() => undefined);
      return turn;
    }) as UseStore,
    entries: () => structuredClone([...entries]),
    onCall: () => undefined,
  };
  return memory;
}
