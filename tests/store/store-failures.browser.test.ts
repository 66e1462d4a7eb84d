import { describe, expect, it } from 'vitest';
import { inStorePage, page } from './opened-store';
import type { StorePage } from './store-page';

/** Exists in the page only. */
declare const marble: StorePage;

inStorePage();

describe('storage that fails', () => {
  it.each(['saving', 'resuming', 'importing'] as const)(
    'at any call, once or permanently, while %s leaves the run intact',
    async (work) => {
      const broken = await page.evaluate(async (doing) => {
        const store = await marble.openStore();
        const calls = { until: 0, forGood: false };
        const patched = [
          ...['put', 'get', 'getAll', 'getAllKeys', 'delete'].map(
            (name) => [IDBObjectStore.prototype, name] as const,
          ),
          [IDBDatabase.prototype, 'transaction'] as const,
        ];
        const restore = patched.map(([prototype, name]) => {
          const given = Object.getOwnPropertyDescriptor(prototype, name)!;
          const real = given.value as (...args: unknown[]) => unknown;
          Object.defineProperty(prototype, name, {
            ...given,
            value(this: unknown, ...args: unknown[]) {
              calls.until -= 1;
              if (calls.until === 0 || (calls.forGood && calls.until < 0)) {
                throw new DOMException('the disk is gone', 'NotReadableError');
              }
              return real.apply(this, args);
            },
          });
          return () => Object.defineProperty(prototype, name, given);
        });
        const wrong: unknown[] = [];
        let tried = 0;
        for (const forGood of [false, true]) {
          for (let nth = 1, met = true; met; nth += 1) {
            calls.until = Infinity;
            const { id } = await store.createRun(marble.newRunRecord(marble.example, 'example', {}));
            await store.saveCheckpoint(id, marble.checkpointAt(1), marble.eventsOf(1, 1));
            await store.saveCheckpoint(id, marble.checkpointAt(2), marble.eventsOf(2, 2));
            if (doing === 'resuming') await store.appendEvents(id, marble.eventsOf(3, 4));
            const history = await store.loadRun(id);
            if (doing === 'importing') await store.deleteRun(id);
            Object.assign(calls, { until: nth, forGood });
            const code = await marble.codeOf(
              doing === 'saving'
                ? store.saveCheckpoint(id, marble.checkpointAt(3), marble.eventsOf(3, 3))
                : doing === 'resuming'
                  ? store.resumeRun(id)
                  : store.keepRun(
                      history,
                      [[marble.rolloutAt(1)], [marble.rolloutAt(2)]],
                      marble.checkpointAt(2),
                    ),
            );
            met = calls.until <= 0;
            calls.until = Infinity;
            tried += 1;
            for (const run of await store.listRuns()) {
              const loaded = await store.loadCheckpoint(run.id);
              const steps = (await store.loadRun(run.id)).steps.map(({ step }) => step);
              const log = steps.every((step, index) => step === index + 1);
              const whole = loaded !== null && marble.stepWithin(loaded.checkpoint) === run.checkpointStep;
              const acknowledged = code !== 'none' || doing !== 'saving' || run.checkpointStep === 3;
              if (!log || !whole || !acknowledged || steps.length < run.checkpointStep!)
                wrong.push({ nth, forGood, code, steps, whole });
              await store.deleteRun(run.id);
            }
            if (!['none', 'store/unavailable'].includes(code)) wrong.push({ nth, forGood, code });
          }
        }
        for (const undo of restore) undo();
        return { wrong, tried };
      }, work);
      expect(broken.wrong).toEqual([]);
      expect(broken.tried).toBeGreaterThan(10);
    },
  );

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

  it('by giving no answer causes a timeout, and is used again after a pause', async () => {
    const result = await page.evaluate(async () => {
      const patience = { open: 200, answer: 200, pause: 400 };
      const pause = () => new Promise((resolve) => setTimeout(resolve, 450));
      const put = (use: ReturnType<typeof marble.strictStore>) =>
        marble.codeOf(use('readwrite', (raw) => void raw.put(1, ['run', 'x'])));
      const codes: string[] = [];

      const open = Object.getOwnPropertyDescriptor(IDBFactory.prototype, 'open')!;
      let asked = 0;
      IDBFactory.prototype.open = () => {
        asked += 1;
        return {} as IDBOpenDBRequest; // fires neither success nor error
      };
      const unopened = marble.strictStore('silent', patience);
      codes.push(await put(unopened), await put(unopened));
      Object.defineProperty(IDBFactory.prototype, 'open', open);
      await pause();
      codes.push(await put(unopened));

      const transaction = Object.getOwnPropertyDescriptor(IDBDatabase.prototype, 'transaction')!;
      IDBDatabase.prototype.transaction = function (...given: Parameters<IDBDatabase['transaction']>) {
        const real = (transaction.value as IDBDatabase['transaction']).apply(this, given);
        real.addEventListener = () => undefined; // it completes without an event
        return real;
      };
      codes.push(await put(unopened));
      Object.defineProperty(IDBDatabase.prototype, 'transaction', transaction);
      await pause();
      codes.push(await put(unopened));
      return { codes, asked };
    });
    const none = 'store/unavailable';
    expect(result).toEqual({ codes: [none, none, 'none', none, 'none'], asked: 1 });
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
