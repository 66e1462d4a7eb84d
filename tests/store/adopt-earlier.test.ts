import { afterEach, describe, expect, it, vi } from 'vitest';
import { adoptEarlier } from '../../src/store/adopt-earlier';
import { createDatasetStore } from '../../src/store/datasets';
import { createRunStore } from '../../src/store/runs';
import { createSweepStore } from '../../src/store/store';
import { example } from '../share/example-config';
import { createMemoryStore, storedEntries, type Entry, type MemoryStore } from './memory-store';

/** A database of an earlier version with a run, a sweep and a data set. */
async function earlierStore(): Promise<MemoryStore> {
  const earlier = createMemoryStore(storedEntries('0.1.0'));
  const sweep = { id: 's', base: example, axes: {}, runs: [null], backend: 'wasm' as const, createdAt: 1 };
  await createSweepStore(earlier.use).putSweep(sweep);
  const about = { id: 'mine-1', bytes: 1, name: 'mine', dataset: 'rows', licence: 'none', format: 'json' };
  const item = { story: 's', question: 'q', answer: 'a', order: 0 };
  await createDatasetStore(earlier.use).putDataset(about, [item] as never);
  return earlier;
}

const withoutMark = (entries: Entry[]): Entry[] => entries.filter(([[kind]]) => kind !== 'adopted');

afterEach(() => vi.restoreAllMocks());

describe('what earlier versions stored for all pages of an origin', () => {
  it('is copied once to the database of a page in a folder, and stays where it is', async () => {
    const [earlier, own] = [await earlierStore(), createMemoryStore()];
    const before = earlier.entries();
    const open = vi.fn(() => Promise.resolve(earlier.use));
    await adoptEarlier(own.use, open);
    expect(withoutMark(own.entries())).toEqual(before);
    const runs = createRunStore(own.use);
    const [{ id }] = await runs.listRuns();
    expect((await runs.resumeRun(id)).resumed?.checkpoint.step).toBe(3);
    await runs.deleteRun(id);
    await adoptEarlier(own.use, open); // what was deleted does not come back
    expect(await runs.listRuns()).toEqual([]);
    expect(open).toHaveBeenCalledTimes(1);
    expect(earlier.entries()).toEqual(before);
  });

  it('replaces nothing, and is not needed', async () => {
    const earlier = await earlierStore();
    const own = createMemoryStore(storedEntries('0.1.0'));
    const runs = createRunStore(own.use);
    const [{ id }] = await runs.listRuns();
    await runs.updateRun(id, { notes: 'newer' });
    await adoptEarlier(own.use, () => Promise.resolve(earlier.use));
    expect((await runs.listRuns()).map(({ notes }) => notes)).toEqual(['newer']);
    const empty = createMemoryStore();
    await adoptEarlier(empty.use, () => Promise.resolve(null));
    expect(withoutMark(empty.entries())).toEqual([]);
  });

  it('is copied record by record, whichever call of the storage fails', async () => {
    const earlier = await earlierStore();
    const whole = earlier.entries();
    const isWhole = (own: MemoryStore): boolean => withoutMark(own.entries()).length === whole.length;
    for (let last = 1; ; last += 1) {
      const own = createMemoryStore();
      let calls = 0;
      own.onCall = () => {
        if ((calls += 1) === last) throw new DOMException('full', 'QuotaExceededError');
      };
      const failed = await adoptEarlier(own.use, () => Promise.resolve(earlier.use)).then(
        () => false,
        () => true,
      );
      // A record is there with all its entries, or none of them is.
      const entries = own.entries();
      for (const kind of ['run', 'dataset', 'sweep']) {
        const of = (list: Entry[]) =>
          list.filter(([[, id]]) => list.some(([key]) => key[0] === kind && key[1] === id));
        const found = of(entries);
        if (found.length > 0) expect(found).toEqual(of(whole));
      }
      own.onCall = () => undefined;
      await adoptEarlier(own.use, () => Promise.resolve(earlier.use));
      expect(isWhole(own)).toBe(true);
      if (!failed) break;
    }
  });
});
