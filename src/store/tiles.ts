/** The tiles of matrix products that were timed on each adapter: kept, so that the next model of the same shapes waits for nothing. */
import type { UseStore } from 'idb-keyval';
import type { TileChoices } from '../ops/matmul/tiles';
import { readOne } from './read';

/** Every method rejects with MarbleError `store/full` or `store/unavailable` when the browser's storage fails. */
export interface TileStore {
  /** Null where nothing was timed yet. @param adapter - its name, `Capabilities.adapterName` */
  loadTiles(adapter: string): Promise<TileChoices | null>;
  /** Keeps them beside those of other shapes. */
  putTiles(adapter: string, tiles: TileChoices): Promise<void>;
}

export function createTileStore(use: UseStore): TileStore {
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
