/** Sweeps: a small record each. Their runs are kept like any others (`runs.ts`). */
import type { UseStore } from 'idb-keyval';
import { keysFrom } from './keys';
import { readRange } from './read';
import type { SweepRecord } from './records';

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

    async listSweeps() {
      const sweeps = await use('readonly', (store) => readRange<SweepRecord>(store, keysFrom('sweep')));
      return sweeps.sort((a, b) => b.createdAt - a.createdAt);
    },

    deleteSweep: (id) =>
      use('readwrite', (store) => {
        store.delete(['sweep', id]);
      }),
  };
}
