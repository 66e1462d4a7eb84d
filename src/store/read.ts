/** Reads of one request, with the type that was written. */
import { promisifyRequest } from 'idb-keyval';

export async function readOne<T>(store: IDBObjectStore, key: IDBValidKey): Promise<T | undefined> {
  return (await promisifyRequest(store.get(key))) as T | undefined;
}

/** In the order of the keys. */
export async function readRange<T>(store: IDBObjectStore, range: IDBKeyRange): Promise<T[]> {
  return (await promisifyRequest(store.getAll(range))) as T[];
}
