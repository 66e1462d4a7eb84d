import { describe, expect, it } from 'vitest';
import { inStorePage, page } from './opened-store';
import type { StorePage } from './store-page';

/** Exists in the page only. */
declare const marble: StorePage;

inStorePage();

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
