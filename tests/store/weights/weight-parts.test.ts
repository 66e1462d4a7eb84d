import { describe, expect, it } from 'vitest';
import { partSource, type FileRecord } from '../../../src/store/weights/weight-parts';
import { refusalOf } from '../../model/refusal';
import { createMemoryCache } from './memory-cache';

describe('the parts of a file refuse', () => {
  const record: FileRecord = {
    ...{ address: 'https://models.example/a', size: 100, etag: null, lastModified: null, sha256: null },
    ...{ sizes: { part: 64, piece: 16 }, complete: true, savedAt: 0 },
  };

  it.each([
    [-1, 4],
    [8, 4],
    [0, 101],
    [Number.NaN, 4],
  ])('bytes %d to %d of a file that has 100', async (start, end) => {
    const source = partSource(createMemoryCache(), record, () => Promise.resolve(), []);
    expect(await refusalOf(() => source.read(start, end))).toBe('store/range');
  });

  it('a part that is gone and does not come again', async () => {
    const source = partSource(createMemoryCache(), record, () => Promise.resolve(), []);
    expect(await refusalOf(() => source.read(0, 4))).toBe('store/part-damaged');
  });
});
