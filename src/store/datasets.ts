/**
 * Imported data sets. Each has a small record for the list; the items are stored separately.
 *
 * A data set's id consists of its name and a hash of its items' content. The id is part of a run's settings and link:
 * importing the same file under the same name gives the same id, and different items give a different id.
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
    /** Stores all items in one transaction. The same items under the same name are stored once. */
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
          'Import its file under “Data sets”: a link contains the id of the data only. Use the same file and, as its name, the part of the id before the last dash.',
        );
      }),

    deleteDataset: (id: string) =>
      use('readwrite', (store) => {
        store.delete(['dataset', id]);
        store.delete(['items', id]);
      }),
  };
}

/** Content of all items, one per line. A Blob, since the text can exceed the maximum string length. */
function bytesOf(items: readonly Item[]): Promise<ArrayBuffer> {
  return new Blob(items.map((item, index) => (index === 0 ? '' : '\n') + contentOf(item))).arrayBuffer();
}

/** Content of an item, independent of its import and of the solver. */
function contentOf({ dataset, story, question, answer, order, choices = [] }: Item): string {
  return JSON.stringify([dataset, story, question, answer, order, choices]);
}

/** Restricts a name to letters, digits, dots, dashes and underscores, for use in a link. */
function nameInId(name: string): string {
  const plain = name
    .normalize('NFKD')
    .replace(/[^\w.-]+/g, '-')
    .replace(/^-+|-+$/g, '');
  return plain.slice(0, 40) || 'data';
}
