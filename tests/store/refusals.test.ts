import { describe, expect, it } from 'vitest';
import type { TrainerEvent } from '../../src/run/events';
import { createRunStore } from '../../src/store/runs';
import { partSource, type FileRecord } from '../../src/store/weight-parts';
import { refusalOf } from '../model/refusal';
import { example } from '../share/example-config';
import { createMemoryStore } from './memory-store';
import { createMemoryCache } from './memory-cache';

describe('refused by name:', () => {
  it('what a tab still had of a run that another has gone on with, and nothing of it is written', async () => {
    const memory = createMemoryStore();
    const [here, there] = [createRunStore(memory.use), createRunStore(memory.use)];
    const step = (number: number): TrainerEvent => ({ type: 'step', record: { step: number } });
    const { id } = await here.createRun(example, 'shared', {});
    await here.appendEvents(id, [step(1)]);
    memory.onCall = (call) => {
      if (call === 'commit') throw new DOMException('full', 'QuotaExceededError');
    };
    await here.appendEvents(id, [step(2)]).catch(() => undefined);
    memory.onCall = () => undefined;
    await there.resumeRun(id);
    await there.appendEvents(id, [1, 2, 3].map(step));
    expect(await refusalOf(() => here.appendEvents(id, []))).toBe('store/gone-on-elsewhere');
    expect((await there.loadRun(id)).steps.map((row) => row.step)).toEqual([1, 2, 3]);
  });

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
