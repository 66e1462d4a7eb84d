import { describe, expect, it } from 'vitest';
import { inStorePage, openPage, page } from './opened-store';
import type { StorePage } from './store-page';

/** Exists in the page only. */
declare const marble: StorePage;

inStorePage();

describe('the trainer’s lock', () => {
  it('keeps other tabs out, shows them its run, which none may delete meanwhile, and is free after its tab is closed', async () => {
    const other = await openPage();
    await other.evaluate(async () => {
      await marble.acquireTrainerLock();
      Object.assign(globalThis, { run: await marble.acquireRunLock('a') });
    });
    const seen = await page.evaluate(async () => [
      await marble.acquireTrainerLock(),
      await marble.runsInTraining(),
      await marble.codeOf(marble.whileIdle('a', () => Promise.resolve())),
      await marble.whileIdle('b', () => marble.runsInTraining()),
      await marble.whileIdle('b', () => marble.codeOf(marble.acquireRunLock('b'))),
      await marble.codeOf(marble.acquireRunLock('b')),
    ]);
    const training = ['a'];
    expect(seen).toEqual([null, training, 'store/run-in-use', training, 'store/run-in-use', 'none']);
    await other.evaluate(async () => {
      await (globalThis as unknown as { run: { release(): Promise<void> } }).run.release();
    });
    expect(await page.evaluate(() => marble.codeOf(marble.whileIdle('a', () => Promise.resolve())))).toBe(
      'none',
    );
    await other.close();
    // The browser releases the lock a moment after it closes the tab.
    await expect
      .poll(() => page.evaluate(async () => (await marble.acquireTrainerLock()) !== null))
      .toBe(true);
  });
});
