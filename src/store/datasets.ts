/** Imported data sets. Each has a small record for the list; the items are stored separately. */
import type { UseStore } from 'idb-keyval';
import { MarbleError } from '../base/error';
import type { Item } from '../tom/item';
import { readNewest, readOne } from './keys';
import type { DatasetRecord } from './records';

export type DatasetAbout = Pick<DatasetRecord, 'id' | 'bytes' | 'name' | 'dataset' | 'licence'>;

/** Every method rejects with MarbleError `store/full` or `store/unavailable` when the browser's storage fails. */
export function createDatasetStore(use: UseStore) {
  return {
    /** Stores all items in one transaction. The same items under the same name are stored once. */
    putDataset(about: DatasetAbout, items: readonly Item[]): Promise<DatasetRecord> {
      const record: DatasetRecord = {
        ...about,
        count: items.length,
        stories: new Set(items.map(({ storyId }) => storyId)).size,
        orders: [...new Set(items.map(({ order }) => order))].sort((a, b) => a - b),
        createdAt: Date.now(),
      };
      return use('readwrite', (store) => {
        store.put(record, ['dataset', record.id]);
        store.put(items, ['items', record.id]);
        return record;
      });
    },

    /** Newest first. */
    listDatasets: () => use('readonly', (store) => readNewest<DatasetRecord>(store, 'dataset')),

    /** @throws MarbleError `store/no-dataset`, `store/old-dataset` */
    loadDataset: (id: string) =>
      use('readonly', async (store) => {
        const [record, items] = await Promise.all([
          readOne<DatasetRecord>(store, ['dataset', id]),
          readOne<Item[]>(store, ['items', id]),
        ]);
        if (record?.training === 'forbidden')
          throw new MarbleError(
            'store/old-dataset',
            `Marble no longer reads ${record.name} (${record.dataset}), whose terms allow evaluation only.`,
            'Delete it under “Data sets”. A run that was tested on it cannot go on: start a new one with its settings, without this data set.',
          );
        if (record !== undefined && items !== undefined) return { record, items };
        throw new MarbleError(
          'store/no-dataset',
          `This run needs the data set ${id}, which is not in this browser.`,
          'Import its file under “Data sets”, or do without it there. A link contains the id of the data only: use the same file and, as its name, the part of the id before the last dash.',
        );
      }),

    deleteDataset: (id: string) =>
      use('readwrite', (store) => {
        store.delete(['dataset', id]);
        store.delete(['items', id]);
      }),
  };
}
