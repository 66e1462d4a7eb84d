/** Persistent data in IndexedDB. Downloaded weights are in `weight-cache.ts`. Only this folder accesses browser storage. */
import { ofDeployment } from '../base/deployment';
import { strictStore } from './connection';
import { createDatasetStore } from './datasets';
import { createRunStore } from './runs';
import { keysFrom, readNewest } from './keys';
import type { SweepRecord } from './records';
import type { UseStore } from 'idb-keyval';
import { withoutDeleted } from '../run/config/deleted-fields';

export type Store = Awaited<ReturnType<typeof openStore>>;

/**
 * @param name of the database; tests use separate names
 * @throws MarbleError `store/unavailable` (private mode, storage forbidden), `store/newer`, `store/full`
 */
export async function openStore(name = ofDeployment('marble')) {
  const use = strictStore(name);
  await use('readonly', (store) => {
    store.count(keysFrom('run')); // fails early if the storage does not work
  });
  // Earlier versions kept the files of a class, which nothing else deletes.
  void use('readwrite', (store) => void store.delete(keysFrom('class'))).catch(() => undefined);
  return {
    ...createRunStore(use),
    ...createSweepStore(use),
    ...createDatasetStore(use),
  };
}

/** @returns a function that opens the store on its first call, and again if opening failed */
export function storeOnDemand(): () => Promise<Store> {
  let store: Promise<Store> | null = null;
  return () => {
    store ??= openStore().catch((thrown: unknown) => {
      store = null;
      throw thrown;
    });
    return store;
  };
}

/** Every method rejects with MarbleError `store/full` or `store/unavailable` when the browser's storage fails. */
export function createSweepStore(use: UseStore) {
  return {
    /** Stores a new sweep or replaces a stored one. */
    putSweep: (sweep: SweepRecord) =>
      use('readwrite', (store) => {
        store.put(sweep, ['sweep', sweep.id]);
      }),

    /** Newest first. */
    listSweeps: () =>
      use('readonly', async (store) =>
        (await readNewest<SweepRecord>(store, 'sweep')).map((sweep) => withoutDeleted(sweep, 'base')),
      ),

    /** Deletes a sweep but not its runs. */
    deleteSweep: (id: string) =>
      use('readwrite', (store) => {
        store.delete(['sweep', id]);
      }),
  };
}
