/**
 * Imported data sets: a small record each for the list, and the items apart.
 *
 * A data set's id is its name and the hash of what its items say. It stands in a run's settings and in its link: whoever
 * imports the same file under the same name has the same data set, and nobody another one under that id.
 */
import type { UseStore } from 'idb-keyval';
import { MarbleError } from '../base/error';
import type { Item } from '../tom/item';
import { sha256 } from '../base/digest';
import { readNewest, readOne } from './keys';
import type { DatasetRecord } from './records';

export type DatasetAbout = Pick<DatasetRecord, 'name' | 'dataset' | 'licence' | 'format'>;

/** Every method rejects with MarbleError `store/full` or `store/unavailable` when the browser's storage fails. */
export function createDatasetStore(use: UseStore) {
  return {
    /** Keeps the items, all or none; the same items under the same name are kept once. */
    async putDataset(about: DatasetAbout, items: readonly Item[]): Promise<DatasetRecord> {
      const text = await bytesOf(items);
      const record: DatasetRecord = {
        ...about,
        id: `${nameInId(about.name)}-${(await sha256(text)).slice(0, 16)}`,
        count: items.length,
        stories: new Set(items.map(({ storyId }) => storyId)).size,
        orders: [...new Set(items.map(({ order }) => order))].sort((a, b) => a - b),
        bytes: text.byteLength,
        training: items.some((item) => item.training === 'forbidden') ? 'forbidden' : 'allowed',
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

    /** @throws MarbleError `store/no-dataset` */
    loadDataset: (id: string) =>
      use('readonly', async (store) => {
        const [record, items] = await Promise.all([
          readOne<DatasetRecord>(store, ['dataset', id]),
          readOne<Item[]>(store, ['items', id]),
        ]);
        if (record !== undefined && items !== undefined) return { record, items };
        throw new MarbleError(
          'store/no-dataset',
          `This run needs the data set ${id}, which is not in this browser.`,
          'Import its file under “Data sets”: a link names data, it never holds any. The name before the last dash and the file must be the same.',
        );
      }),

    deleteDataset: (id: string) =>
      use('readwrite', (store) => {
        store.delete(['dataset', id]);
        store.delete(['items', id]);
      }),
  };
}

/** What all items say, a line each: together they can be longer than one text may be. */
function bytesOf(items: readonly Item[]): Promise<ArrayBuffer> {
  return new Blob(items.map((item, index) => (index === 0 ? '' : '\n') + contentOf(item))).arrayBuffer();
}

/** What an item says, however it was imported and whatever the solver makes of it. */
function contentOf({ dataset, story, question, answer, order, choices = [] }: Item): string {
  return JSON.stringify([dataset, story, question, answer, order, choices]);
}

/** Fit for a link: letters, digits, dots, dashes and underscores. */
function nameInId(name: string): string {
  const plain = name
    .normalize('NFKD')
    .replace(/[^\w.-]+/g, '-')
    .replace(/^-+|-+$/g, '');
  return plain.slice(0, 40) || 'data';
}
