/** Imported data sets: a small record each for the list, and the items apart. */
import type { UseStore } from 'idb-keyval';
import { MarbleError } from '../error';
import type { Item } from '../tom/item';
import { keysFrom } from './keys';
import { readOne, readRange } from './read';
import type { DatasetRecord } from './records';

/** Every method rejects with MarbleError `store/full` or `store/unavailable` when the browser's storage fails. */
export interface DatasetStore {
  /** Keeps the items, all or none, under a new id. */
  putDataset(name: string, format: string, items: readonly Item[]): Promise<DatasetRecord>;
  /** Newest first. */
  listDatasets(): Promise<DatasetRecord[]>;
  /** @throws MarbleError `store/no-dataset` */
  loadDataset(id: string): Promise<{ record: DatasetRecord; items: Item[] }>;
  deleteDataset(id: string): Promise<void>;
}

export function createDatasetStore(use: UseStore): DatasetStore {
  return {
    putDataset(name, format, items) {
      const record: DatasetRecord = {
        id: crypto.randomUUID(),
        name,
        format,
        count: items.length,
        training: items.some((item) => item.training === 'forbidden') ? 'forbidden' : 'allowed',
        createdAt: Date.now(),
      };
      return use('readwrite', (store) => {
        store.put(record, ['dataset', record.id]);
        store.put(items, ['items', record.id]);
        return record;
      });
    },

    async listDatasets() {
      const records = await use('readonly', (store) => readRange<DatasetRecord>(store, keysFrom('dataset')));
      return records.sort((a, b) => b.createdAt - a.createdAt);
    },

    loadDataset: (id) =>
      use('readonly', async (store) => {
        const [record, items] = await Promise.all([
          readOne<DatasetRecord>(store, ['dataset', id]),
          readOne<Item[]>(store, ['items', id]),
        ]);
        if (record !== undefined && items !== undefined) return { record, items };
        throw new MarbleError(
          'store/no-dataset',
          `There is no data set ${id} in this browser.`,
          'Import its file again, or choose another data set.',
        );
      }),

    deleteDataset: (id) =>
      use('readwrite', (store) => {
        store.delete(['dataset', id]);
        store.delete(['items', id]);
      }),
  };
}
