import { describe, expect, it } from 'vitest';
import { partSource, type FileRecord } from '../../../src/store/weights/weight-parts';
import { refusalOf } from '../../model/refusal';
import { createMemoryCache } from './memory-cache';

describe('a source of parts rejects', () => {
  const record: FileRecord = {
    ...{ address: 'https://models.example/a', size: 100, etag: null, lastModified: null, sha256: null },
    ...{ sizes: { part: 64, piece: 16 }, complete: true, savedAt: 0 },
  };

  it.each([
    [-1, 4],
    [8, 4],
    [0, 101],
    [Number.NaN, 4],
  ])('a read of bytes %d to %d of 100', async (start, end) => {
    const source = partSource(createMemoryCache(), record, () => Promise.resolve(), []);
    expect(await refusalOf(() => source.read(start, end))).toBe('store/range');
  });
});
