/** What outlives a tab, but for downloaded weights (`weight-cache.ts`). Browser storage is reached from this room only. */
import { strictStore } from './connection';
import { createDatasetStore, type DatasetStore } from './datasets';
import { keysFrom } from './keys';
import { createRunStore, type RunStore } from './runs';
import { createSweepStore, type SweepStore } from './sweeps';
import { createTileStore, type TileStore } from './tiles';

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
