import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { sampled } from '../fixtures/sample';
import { inStorePage, openPage, page } from './opened-store';
import type { StorePage } from './store-page';

/** In the page only. */
declare const marble: StorePage;

inStorePage();

it('a sweep in the store comes back as it was last kept, and leaves its runs behind when it is deleted', async () => {
  const result = await page.evaluate(async () => {
    const store = await marble.openStore();
    const { id: run } = await store.createRun(marble.example, 'example', {});
    const axes = { seed: [1, 2], reward: ['faithful' as const] };
    const sweep = { id: 's', base: marble.example, axes, runs: [null, null], createdAt: 5 };
    await store.putSweep(sweep);
    await store.putSweep({ ...sweep, runs: [run, null] });
    const kept = await (await marble.openStore()).listSweeps();
    await store.deleteSweep('s');
    return { run, kept, left: await store.listSweeps(), runs: (await store.listRuns()).length };
  });
  expect(result.kept).toMatchObject([
    { id: 's', axes: { seed: [1, 2], reward: ['faithful'] }, runs: [result.run, null] },
  ]);
  expect(result.left).toEqual([]);
  expect(result.runs).toBe(1);
});

describe('a run in the store', () => {
  it('begins again from nothing when it died before its first checkpoint', async () => {
    const result = await page.evaluate(async () => {
      const store = await marble.openStore();
      const { id } = await store.createRun(marble.example, 'example', {});
      await store.appendEvents(id, marble.eventsOf(1, 3));
      const { resumed } = await store.resumeRun(id);
      return { resumed, steps: (await store.loadRun(id)).steps };
    });
    expect(result).toEqual({ resumed: null, steps: [] });
  });

  it('keeps the checkpoint of the best evaluation beside the two newest', async () => {
    const result = await page.evaluate(async () => {
      const store = await marble.openStore();
      const { id } = await store.createRun(marble.example, 'example', {});
      for (let step = 1; step <= 5; step += 1) {
        await store.saveCheckpoint(id, marble.checkpointAt(step), [], { best: step === 2 });
      }
      const newest = await store.loadCheckpoint(id);
      const best = await store.loadBestCheckpoint(id);
      return [marble.stepWithin(newest!.checkpoint), marble.stepWithin(best!)];
    });
    expect(result).toEqual([5, 2]);
  });

  it('is deleted with all that belongs to it, and nothing else is', async () => {
    const result = await page.evaluate(async () => {
      const store = await marble.openStore();
      const one = await store.createRun(marble.example, 'one', {});
      const other = await store.createRun(marble.example, 'other', {});
      for (const { id } of [one, other])
        await store.saveCheckpoint(id, marble.checkpointAt(1), marble.eventsOf(1, 1));
      await store.deleteRun(one.id);
      const keys = await marble.strictStore('marble')('readonly', async (raw) => {
        const request = raw.getAllKeys();
        await new Promise((resolve) => (request.onsuccess = resolve));
        return request.result as unknown[][];
      });
      const code = await marble.codeOf(store.loadRun(one.id));
      return { ofOne: keys.filter((key) => key[1] === one.id), ofOther: keys.length, code };
    });
    expect(result).toEqual({ ofOne: [], ofOther: 5, code: 'store/no-run' });
  });
});

describe('the trainer’s lock', () => {
  it('lets one of two tabs train, in every race', { timeout: 60_000 }, async () => {
    const other = await openPage();
    const acquire = (tab: Page) =>
      tab.evaluate(async () => {
        const lock = await marble.acquireTrainerLock();
        Object.assign(globalThis, { lock });
        return lock !== null;
      });
    const release = (tab: Page) =>
      tab.evaluate(async () => {
        const { lock } = globalThis as unknown as { lock: { release(): void } | null };
        lock?.release();
        while ((await marble.trainerAtWork()).isBusy) await new Promise((resolve) => setTimeout(resolve));
      });
    const races = sampled(40, 200);
    const winners: number[] = [];
    for (let round = 0; round < races; round += 1) {
      const won = await Promise.all(
        round % 2 === 0 ? [acquire(page), acquire(other)] : [acquire(other), acquire(page)],
      );
      winners.push(won.filter(Boolean).length);
      await Promise.all([release(page), release(other)]);
    }
    expect(winners).toEqual(Array.from({ length: races }, () => 1));
  });

  it('is free again when its tab is closed, and seen from another while it is held', async () => {
    const other = await openPage();
    await other.evaluate(async () => {
      await marble.acquireTrainerLock();
    });
    expect(await page.evaluate(() => marble.trainerAtWork())).toEqual({ isBusy: true, runId: null });
    expect(await page.evaluate(async () => (await marble.acquireTrainerLock()) === null)).toBe(true);
    await other.close();
    // A closed tab's lock goes a moment after the tab.
    await expect
      .poll(() => page.evaluate(async () => (await marble.acquireTrainerLock()) !== null))
      .toBe(true);
  });

  it('tells every tab which run trains, which is not deleted meanwhile, nor trained while it is deleted', async () => {
    const other = await openPage();
    await other.evaluate(async () => {
      await marble.acquireTrainerLock();
      Object.assign(globalThis, { run: await marble.acquireRunLock('a') });
    });
    const seen = await page.evaluate(async () => [
      await marble.trainerAtWork(),
      await marble.codeOf(marble.whileIdle('a', () => Promise.resolve())),
      await marble.whileIdle('b', () => marble.trainerAtWork()),
      await marble.whileIdle('b', () => marble.codeOf(marble.acquireRunLock('b'))),
      await marble.codeOf(marble.acquireRunLock('b')),
    ]);
    const training = { isBusy: true, runId: 'a' };
    expect(seen).toEqual([training, 'store/run-in-use', training, 'store/run-in-use', 'none']);
    await other.evaluate(async () => {
      await (globalThis as unknown as { run: { release(): Promise<void> } }).run.release();
    });
    expect(await page.evaluate(() => marble.codeOf(marble.whileIdle('a', () => Promise.resolve())))).toBe(
      'none',
    );
  });
});
