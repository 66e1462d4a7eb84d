/**
 * Copies what earlier versions stored. They used one database for all pages of an origin, and a page in a folder now has its
 * own. Nothing is deleted there: another copy of the page may use it. The copy is made once, record by record, so that it is
 * complete or repeated at the next visit.
 */
import { promisifyRequest, type UseStore } from 'idb-keyval';
import { keysFrom, logKinds, readOne } from './keys';

/** Key of the mark that all records are copied. */
const markKey = ['adopted', 'marble'];

/** Kinds of records, each with the kinds of entries that belong to one. */
const parts = {
  run: [...logKinds, 'checkpoint', 'weights'],
  sweep: [],
  dataset: ['items'],
} as const;

type Key = (string | number)[];

/** @param earlier - the database of the earlier versions; null if there is none */
export async function adoptEarlier(own: UseStore, earlier: () => Promise<UseStore | null>): Promise<void> {
  if ((await own('readonly', (store) => readOne(store, markKey))) !== undefined) return;
  const from = await earlier();
  if (from !== null) {
    for (const kind of ['dataset', 'run', 'sweep'] as const) {
      const keys = await from('readonly', (store) => promisifyRequest(store.getAllKeys(keysFrom(kind))));
      for (const key of keys) await copyRecord(own, from, kind, (key as Key)[1] as string);
    }
  }
  await own('readwrite', (store) => void store.put(true, markKey));
}

/** Copies a record with its entries in one transaction, unless there is one of its ID. */
async function copyRecord(
  own: UseStore,
  from: UseStore,
  kind: keyof typeof parts,
  id: string,
): Promise<void> {
  const isCopied = async (store: IDBObjectStore): Promise<boolean> =>
    (await readOne(store, [kind, id])) !== undefined;
  if (await own('readonly', isCopied)) return; // its weights may be large
  const entries = await from('readonly', async (store) => {
    const ranges = [kind, ...parts[kind]].map((part) => keysFrom(part, id));
    const found = ranges.map(async (range) => {
      const [keys, values] = await Promise.all([
        promisifyRequest(store.getAllKeys(range)),
        promisifyRequest(store.getAll(range)),
      ]);
      return keys.map((key, place) => [key, values[place] as unknown] as const);
    });
    return (await Promise.all(found)).flat();
  });
  await own('readwrite', async (store) => {
    if (await isCopied(store)) return; // another tab has copied it
    for (const [key, value] of entries) store.put(value, key);
  });
}
