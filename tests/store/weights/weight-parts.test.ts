import { expect, it } from 'vitest';
import type { RemoteFile } from '../../../src/model/source/remote-source';
import { fetchPart, partSource, type FileRecord } from '../../../src/store/weights/weight-parts';
import { refusalOf } from '../../model/refusal';
import { createMemoryCache } from './memory-cache';

const record: FileRecord = {
  ...{ address: 'https://models.example/a', size: 100, sha256: null },
  ...{ sizes: { part: 64, piece: 8 }, complete: true, savedAt: 0 },
};

it('a read of bytes outside of the file is rejected', async () => {
  const source = partSource(createMemoryCache(), record, () => Promise.resolve(), []);
  for (const [start, end] of [
    [-1, 4],
    [8, 4],
    [0, 101],
    [Number.NaN, 4],
  ])
    // prettier-ignore
    expect(await refusalOf(() => source.read(start, end))).toBe('store/range');
});

it('a part is fetched by four requests at a time', async () => {
  const pending: number[] = [];
  let open = 0;
  const read = async (start: number, end: number): Promise<Uint8Array> => {
    pending.push((open += 1));
    await new Promise((resolve) => setTimeout(resolve));
    open -= 1;
    return new Uint8Array(end - start);
  };
  await fetchPart({ read } as RemoteFile, createMemoryCache(), record, 0);
  expect([pending.length, Math.max(...pending)]).toEqual([8, 4]);
});
