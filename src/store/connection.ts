/**
 * One IndexedDB object store behind idb-keyval's `UseStore`, with what idb-keyval leaves out: every transaction is of
 * strict durability (it completes when its bytes are on the disk, measured 0.88 against 0.57 ms), the promise is that
 * of the whole transaction, a dropped connection is opened again, silence is not waited for, and failures have names.
 */
import { promisifyRequest, type UseStore } from 'idb-keyval';
import { MarbleError } from '../base/error';
import { silent, usualPatience, within, type Patience } from './patience';

const objectStoreName = 'marble';
const schemaVersion = 1;

/** Errors of a closing connection: nothing of the transaction was written, so it may be run again. */
const droppedNames = ['InvalidStateError', 'AbortError', 'UnknownError'];

/** Errors in what was to be stored: a fault of ours, not of the storage. */
const faultNames = ['DataCloneError', 'DataError', 'TypeError', 'RangeError'];

function nameOf(error: unknown): string {
  return error instanceof Error ? error.name : '';
}

/** Names what went wrong with the browser's storage; what is no failure of the storage stays what it is. */
export function storageError(error: unknown): unknown {
  const name = nameOf(error);
  if (error instanceof MarbleError || faultNames.includes(name)) return error;
  if (name === 'QuotaExceededError') {
    return new MarbleError(
      'store/full',
      'The browser has no room left for this page.',
      'Delete old runs, data sets or downloaded weights, or save the checkpoint as a file.',
      { cause: error },
    );
  }
  if (name === 'VersionError') {
    return new MarbleError(
      'store/newer',
      'What is stored here was written by a newer version of Marble.',
      'Reload the page to get its newest version.',
      { cause: error },
    );
  }
  return new MarbleError(
    'store/unavailable',
    `The browser's storage does not answer: ${error instanceof Error ? error.message : String(error)}`,
    'Leave private browsing or allow this site to store data; training goes on, and checkpoints can be saved as files.',
    { cause: error },
  );
}

function open(name: string, onDrop: () => void): Promise<IDBDatabase> {
  if (typeof indexedDB === 'undefined') return Promise.reject(new Error('there is no IndexedDB.'));
  const request = indexedDB.open(name, schemaVersion);
  request.onupgradeneeded = () => request.result.createObjectStore(objectStoreName);
  return promisifyRequest(request).then(
    (database) => {
      database.onclose = onDrop;
      // Another tab with a newer version of the page must not wait for this one.
      database.onversionchange = () => {
        database.close();
        onDrop();
      };
      return database;
    },
    (error: unknown) => {
      onDrop(); // the next call tries again
      throw error;
    },
  );
}

function completion(transaction: IDBTransaction): Promise<void> {
  return new Promise((resolve, reject) => {
    transaction.addEventListener('complete', () => resolve());
    transaction.addEventListener('abort', () =>
      reject(transaction.error ?? new DOMException('The transaction was aborted.', 'AbortError')),
    );
  });
}

async function transact<T>(
  database: IDBDatabase,
  mode: IDBTransactionMode,
  callback: (store: IDBObjectStore) => T | PromiseLike<T>,
  signal: AbortSignal,
): Promise<T> {
  const transaction = database.transaction(objectStoreName, mode, { durability: 'strict' });
  const abort = (): void => {
    try {
      transaction.abort(); // half of a change is never written
    } catch {
      // It has aborted by itself, and says why.
    }
  };
  signal.addEventListener('abort', abort);
  const completed = completion(transaction);
  completed.catch(() => undefined); // awaited below unless the callback fails first
  let result: T;
  try {
    result = await callback(transaction.objectStore(objectStoreName));
  } catch (error) {
    abort();
    throw transaction.error ?? error;
  }
  await completed;
  return result;
}

/**
 * @param name - of the database; its one object store has array keys
 * @returns a function that runs `callback` in one transaction and resolves when that is complete; the callback may run
 *   a second time, on a fresh connection, where the first one dropped. It rejects with `store/unavailable` where the
 *   browser gives no answer, and for a while after that at once: a run that trains is not to wait at every step
 */
export function strictStore(name: string, patience: Patience = usualPatience): UseStore {
  let connection: Promise<IDBDatabase> | null = null;
  let silentUntil = 0;
  const drop = () => (connection = null);

  async function answered<T>(milliseconds: number, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    let isLate = false;
    try {
      return await within(milliseconds, (signal) => {
        signal.addEventListener('abort', () => (isLate = true));
        return work(signal);
      });
    } finally {
      if (isLate) {
        silentUntil = Date.now() + patience.pause;
        connection?.then((database) => database.close()).catch(() => undefined);
        drop();
      }
    }
  }

  return async (mode, callback) => {
    for (let attempt = 0; ; attempt += 1) {
      try {
        if (Date.now() < silentUntil) throw silent();
        const opening = (connection ??= open(name, drop));
        const database = await answered(patience.open, () => opening);
        return await answered(patience.answer, (signal) => transact(database, mode, callback, signal));
      } catch (error) {
        if (attempt > 0 || !droppedNames.includes(nameOf(error))) throw storageError(error);
        drop();
      }
    }
  };
}
