/** The store and its locks in Chromium, on a page in a new browser context for every test. */
import { join } from 'node:path';
import { chromium, type Browser, type BrowserContext, type Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { chromiumFlags, findChromium } from '../fixtures/chromium';
import type { PlainServer } from '../fixtures/servers/plain-server';
import { servePage } from './page-server';
import type { StorePage } from './store-page';

/** Exists in the page only. */
declare const marble: StorePage;

let server: PlainServer;
let browser: Browser;
let context: BrowserContext;
let page: Page;

async function openPage(): Promise<Page> {
  const opened = await context.newPage();
  await opened.goto(server.address);
  await opened.waitForFunction(() => 'marble' in globalThis);
  return opened;
}

beforeAll(async () => {
  server = await servePage(join(import.meta.dirname, 'store-page.ts'));
  browser = await chromium.launch({ executablePath: findChromium(), args: chromiumFlags });
});
beforeEach(async () => {
  context = await browser.newContext();
  page = await openPage();
});
afterAll(async () => {
  await browser.close();
  await server.close();
});

it('the trainer’s lock keeps other tabs out, shows them its run, which none may delete meanwhile, and is free after its tab is closed', async () => {
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
  await expect.poll(() => page.evaluate(async () => (await marble.acquireTrainerLock()) !== null)).toBe(true);
});

describe('storage that fails', () => {
  it('in the middle of a transaction undoes the part that was written', async () => {
    const result = await page.evaluate(async () => {
      const store = await marble.openStore();
      const { id } = await store.createRun(marble.newRunRecord(marble.example, 'example', {}));
      await store.saveCheckpoint(id, marble.checkpointAt(1), marble.eventsOf(1, 1));
      const put = Object.getOwnPropertyDescriptor(IDBObjectStore.prototype, 'put')!;
      let left = 3;
      IDBObjectStore.prototype.put = function (...given: Parameters<IDBObjectStore['put']>) {
        if (left-- === 0) throw new DOMException('the disk is gone', 'NotReadableError');
        return (put.value as IDBObjectStore['put']).apply(this, given);
      };
      const code = await marble.codeOf(
        store.saveCheckpoint(id, marble.checkpointAt(2), marble.eventsOf(2, 2)),
      );
      Object.defineProperty(IDBObjectStore.prototype, 'put', put);
      const { record, steps } = await store.loadRun(id);
      const loaded = await store.loadCheckpoint(id);
      return [code, record.step, steps.length, marble.stepWithin(loaded!.checkpoint)];
    });
    expect(result).toEqual(['store/unavailable', 1, 1, 1]);
  });

  it('by dropping the connection is reopened', async () => {
    const result = await page.evaluate(async () => {
      const store = await marble.openStore();
      const { id } = await store.createRun(marble.newRunRecord(marble.example, 'example', {}));
      // The first transaction of each call fails on a closing connection, as in Safari's background tabs.
      const transaction = Object.getOwnPropertyDescriptor(IDBDatabase.prototype, 'transaction')!;
      let dropped = 0;
      IDBDatabase.prototype.transaction = function (...given: Parameters<IDBDatabase['transaction']>) {
        if (dropped % 2 === 0) this.close();
        dropped += 1;
        return (transaction.value as IDBDatabase['transaction']).apply(this, given);
      };
      await store.saveCheckpoint(id, marble.checkpointAt(1), marble.eventsOf(1, 1));
      const loaded = await store.loadCheckpoint(id);
      return { step: marble.stepWithin(loaded!.checkpoint), dropped };
    });
    expect(result.step).toBe(1);
    expect(result.dropped).toBeGreaterThan(2);
  });

  it('by being absent has an error code', async () => {
    const codes = await page.evaluate(async () => {
      const open = Object.getOwnPropertyDescriptor(IDBFactory.prototype, 'open')!;
      IDBFactory.prototype.open = () => {
        throw new DOMException('denied', 'SecurityError');
      };
      const denied = await marble.codeOf(marble.openStore('other'));
      Object.defineProperty(IDBFactory.prototype, 'open', open);
      await new Promise((resolve) => {
        const newer = indexedDB.open('newer', 99);
        newer.onsuccess = () => {
          newer.result.close();
          resolve(null);
        };
      });
      return [denied, await marble.codeOf(marble.openStore('newer'))];
    });
    expect(codes).toEqual(['store/unavailable', 'store/newer']);
  });
});
