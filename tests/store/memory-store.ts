/**
 * The browser's storage in memory, for Node: the subset of IndexedDB that the store uses, with atomic transactions. Tests can
 * count its calls, let them fail, or leave them unanswered to simulate a crash of the tab between two calls.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
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
  /** All stored entries in key order. */
  entries(): Entry[];
  /** Runs before each call of the storage. The call fails with its error and waits for its promise. */
  onCall: (call: Call) => void | Promise<void>;
}

export const storedFolder = join(import.meta.dirname, '..', 'fixtures', 'stored');

/** What a published version stored. */
export function storedEntries(version: string): Entry[] {
  const text = readFileSync(join(storedFolder, `${version}.json`), 'utf8');
  return JSON.parse(text, (_, value: unknown) =>
    typeof value === 'object' && value !== null && '$floats' in value
      ? Float32Array.from(value.$floats as number[])
      : value,
  ) as Entry[];
}

/** Key order of IndexedDB: numbers before strings before arrays, arrays element by element. */
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

/** Index of the first entry at or after a key, or `after` it. */
function placeOf(entries: readonly Entry[], key: Key, after: boolean): number {
  const place = entries.findIndex(([each]) => compare(each, key) > (after ? 0 : -1));
  return place === -1 ? entries.length : place;
}

/** A pending request of IndexedDB. */
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

/** @param initial entries of an earlier session */
export function createMemoryStore(initial: readonly Entry[] = []): MemoryStore {
  Object.assign(globalThis, { IDBKeyRange: { bound: (lower: Key, upper: Key) => ({ lower, upper }) } });
  let entries: readonly Entry[] = structuredClone(initial);
  let last: Promise<unknown> = Promise.resolve();

  function objectStore(transaction: Transaction): IDBObjectStore {
    const limits = (query: Key | Range): [number, number] => {
      const { lower, upper } = 'lower' in query ? query : { lower: query, upper: query };
      return [placeOf(transaction.entries, lower, false), placeOf(transaction.entries, upper, true)];
    };
    const select = (query: Key | Range): Entry[] => transaction.entries.slice(...limits(query));
    const replace = (query: Key | Range, ...entries: Entry[]): void => {
      const [first, end] = limits(query);
      transaction.entries = transaction.entries.toSpliced(first, end - first, ...entries);
    };
    const request = (call: Call, answer: () => unknown): Request => {
      const pending: Request = {};
      const settle = async (): Promise<void> => {
        try {
          await memory.onCall(call);
          pending.result = answer();
        } catch (error) {
          pending.error = error;
          pending.onerror?.();
          throw error;
        }
        pending.onsuccess?.();
      };
      const settled = Promise.resolve().then(settle);
      settled.catch(() => undefined); // the transaction awaits it below
      transaction.requests.push(settled);
      return pending;
    };
    return {
      get: (key: Key) => request('get', () => structuredClone(select(key)[0]?.[1])),
      getAll: (range: Range) =>
        request('getAll', () => structuredClone(select(range).map(([, value]) => value))),
      getAllKeys: (range: Range) => request('getAllKeys', () => select(range).map(([key]) => key)),
      put: (value: unknown, key: Key) => {
        const copy = structuredClone(value);
        return request('put', () => replace(key, [key, copy]));
      },
      delete: (query: Key | Range) => request('delete', () => replace(query)),
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
