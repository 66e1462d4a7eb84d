/** What outlives a tab, but for downloaded weights (`weight-cache.ts`). Browser storage is reached from this room only. */
import { strictStore } from './connection';
import { createDatasetStore, type DatasetStore } from './datasets';
import { createRunStore, type RunStore } from './runs';
import { keysFrom, readNewest, readOne } from './keys';
import type { SweepRecord } from './records';
import type { UseStore } from 'idb-keyval';
import type { TileChoices } from '../ops/matmul/tiles';

export type Store = RunStore & SweepStore & DatasetStore & TileStore;

/**
 * @param name - of the database: tests use their own
 * @throws MarbleError `store/unavailable` (private mode, storage forbidden), `store/newer`, `store/full`
 */
export async function openStore(name = 'marble'): Promise<Store> {
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
export interface SweepStore {
  /** Keeps a new sweep, or what has changed of a known one. */
  putSweep(sweep: SweepRecord): Promise<void>;
  /** Newest first. */
  listSweeps(): Promise<SweepRecord[]>;
  /** Its runs stay. */
  deleteSweep(id: string): Promise<void>;
}

export function createSweepStore(use: UseStore): SweepStore {
  return {
    putSweep: (sweep) =>
      use('readwrite', (store) => {
        store.put(sweep, ['sweep', sweep.id]);
      }),

    listSweeps: () => use('readonly', (store) => readNewest<SweepRecord>(store, 'sweep')),

    deleteSweep: (id) =>
      use('readwrite', (store) => {
        store.delete(['sweep', id]);
      }),
  };
}

/** Every method rejects with MarbleError `store/full` or `store/unavailable` when the browser's storage fails. */
export interface TileStore {
  /** Null where nothing was timed yet. @param adapter - its name, `Capabilities.adapterName` */
  loadTiles(adapter: string): Promise<TileChoices | null>;
  /** Keeps them beside those of other shapes. */
  putTiles(adapter: string, tiles: TileChoices): Promise<void>;
}

function createTileStore(use: UseStore): TileStore {
  return {
    loadTiles: (adapter) =>
      use('readonly', async (store) => (await readOne<TileChoices>(store, ['tiles', adapter])) ?? null),

    putTiles: (adapter, tiles) =>
      use('readwrite', async (store) => {
        const before = await readOne<TileChoices>(store, ['tiles', adapter]);
        store.put({ ...before, ...tiles }, ['tiles', adapter]);
      }),
  };
}
