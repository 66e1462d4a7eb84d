import { expect, it, vi } from 'vitest';
import { createDatasetStore } from '../../src/store/datasets';
import type { Item } from '../../src/tom/item';
import { refusalOf } from '../model/refusal';
import { createMemoryStore } from './memory-store';

it('data sets are listed with a summary of their items, newest first, loaded whole and deleted', async () => {
  const memory = createMemoryStore();
  const store = createDatasetStore(memory.use);
  const items = [
    { storyId: 'a', order: 2 },
    { storyId: 'a', order: 0 },
    { storyId: 'b', order: 2 },
  ] as Item[];
  const put = (id: string, createdAt: number, items: Item[]) => {
    vi.spyOn(Date, 'now').mockReturnValueOnce(createdAt);
    return store.putDataset({ ...{ id, name: id, dataset: 'own', licence: '' }, bytes: 1 }, items);
  };
  const older = await put('a-1', 1, items.slice(0, 2));
  const newer = await put('b-1', 2, items);
  expect(older).toMatchObject({ count: 2, stories: 1, orders: [0, 2] });
  expect(newer).toMatchObject({ count: 3, stories: 2, orders: [0, 2] });
  expect(await store.listDatasets()).toEqual([newer, older]);
  expect(await store.loadDataset('b-1')).toEqual({ record: newer, items });
  for (const id of ['a-1', 'b-1']) await store.deleteDataset(id);
  expect(memory.entries()).toEqual([]);
  expect(await refusalOf(() => store.loadDataset('b-1'))).toBe('store/no-dataset');
  vi.restoreAllMocks();
});

it('a data set that an earlier version kept for evaluation only is listed, refused with a next step and deleted', async () => {
  const memory = createMemoryStore();
  const store = createDatasetStore(memory.use);
  const about = { ...{ id: 'f-1', name: 'f', dataset: 'fantom', licence: 'evaluation only' }, bytes: 1 };
  const record = await store.putDataset(about, []);
  const old = { ...record, training: 'forbidden' };
  await memory.use('readwrite', (objects) => void objects.put(old, ['dataset', 'f-1']));
  expect(await store.listDatasets()).toEqual([old]);
  await expect(store.loadDataset('f-1')).rejects.toMatchObject({
    code: 'store/old-dataset',
    nextStep: expect.stringContaining('Delete it') as string,
  });
  await store.deleteDataset('f-1');
  expect(memory.entries()).toEqual([]);
});
