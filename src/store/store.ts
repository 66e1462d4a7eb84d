/** What outlives a tab, but for downloaded weights (`weight-cache.ts`). Browser storage is reached from this room only. */
import { strictStore } from './connection';
import { createDatasetStore } from './datasets';
import { createRunStore } from './runs';
import { keysFrom, readNewest, readOne } from './keys';
import type { SweepRecord } from './records';
import type { UseStore } from 'idb-keyval';
import type { TileChoices } from '../ops/matmul/tiles';

export type Store = Awaited<ReturnType<typeof openStore>>;

/**
 * @param name - of the database: tests use their own
 * @throws MarbleError `store/unavailable` (private mode, storage forbidden), `store/newer`, `store/full`
 */
export async function openStore(name = 'marble') {
  const use = strictStore(name);
  await use('readonly', (store) => {
    store.count(keysFrom('run')); // proves that the browser answers
  });
  return {
    ...createRunStore(use),
    ...createSweepStore(use),
    ...createDatasetStore(use),
    ...createTileStore(use),
  };
}

/** Every method rejects with MarbleError `store/full` or `store/unavailable` when the browser's storage fails. */
export function createSweepStore(use: UseStore) {
  return {
    /** Keeps a new sweep, or what has changed of a known one. */
    putSweep: (sweep: SweepRecord) =>
      use('readwrite', (store) => {
        store.put(sweep, ['sweep', sweep.id]);
      }),

    /** Newest first. */
    listSweeps: () => use('readonly', (store) => readNewest<SweepRecord>(store, 'sweep')),

    /** Its runs stay. */
    deleteSweep: (id: string) =>
      use('readwrite', (store) => {
        store.delete(['sweep', id]);
      }),
  };
}

export type TileStore = ReturnType<typeof createTileStore>;

function createTileStore(use: UseStore) {
  return {
    /** Null where nothing was timed yet. @param adapter - its name, `Capabilities.adapterName` */
    loadTiles: (adapter: string) =>
      use('readonly', async (store) => (await readOne<TileChoices>(store, ['tiles', adapter])) ?? null),

    /** Keeps them beside those of other shapes. */
    putTiles: (adapter: string, tiles: TileChoices) =>
      use('readwrite', async (store) => {
        const before = await readOne<TileChoices>(store, ['tiles', adapter]);
        store.put({ ...before, ...tiles }, ['tiles', adapter]);
      }),
  };
}
