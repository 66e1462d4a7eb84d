import { chromium, type Browser, type BrowserContext, type Page } from 'playwright-core';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { chromiumFlags, findChromium } from '../fixtures/chromium';
import { servePage, type PageServer } from './page-server';
import type { StorePage } from './store-page';
import { sampled } from '../fixtures/sample';

/** In the page only. */
declare const marble: StorePage;

let server: PageServer;
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
}, 60_000);

afterAll(async () => {
  await browser.close();
  await server.close();
});

beforeEach(async () => {
  await (context as BrowserContext | undefined)?.close();
  context = await browser.newContext();
  page = await openPage();
});

describe('a run from a file', () => {
  it('is kept once, however often it is opened, and one that ended reads so', async () => {
    const result = await page.evaluate(async () => {
      const store = await marble.openStore();
      const { id } = await store.createRun({ ...marble.example, steps: 3 }, 'example', {});
      await store.saveCheckpoint(id, marble.checkpointAt(3), marble.eventsOf(1, 3));
      const history = await store.loadRun(id);
      const same = await store.importRun(history, [], marble.checkpointAt(3));
      await store.deleteRun(id);
      const first = await store.importRun(history, [], marble.checkpointAt(3));
      const again = await store.importRun(history, [], marble.checkpointAt(3));
      const shorter = { ...history, steps: history.steps.slice(0, 2) };
      const other = await store.importRun(shorter, [], marble.checkpointAt(3));
      return { id, same, first, again, other, kept: (await store.listRuns()).length };
    });
    expect(result.same).toMatchObject({ isNew: false, record: { id: result.id } });
    expect(result.first).toMatchObject({ isNew: true, record: { status: 'done', step: 3 } });
    expect(result.again).toMatchObject({ isNew: false, record: { id: result.first.record.id } });
    expect(result.other.isNew).toBe(true);
    expect(result.kept).toBe(2);
  });
});

describe('a run from a file that is ahead of its checkpoint', () => {
  it('goes on where the checkpoint stands, and tells no step twice', async () => {
    const result = await page.evaluate(async () => {
      const store = await marble.openStore();
      const { id } = await store.createRun(marble.example, 'example', {});
      await store.saveCheckpoint(id, marble.checkpointAt(3), marble.eventsOf(1, 3));
      await store.appendEvents(id, marble.eventsOf(4, 6));
      const history = await store.loadRun(id);
      await store.deleteRun(id);
      const rollouts = [1, 2, 3, 4, 5, 6].map((step) => [marble.rolloutAt(step)]);
      const { record } = await store.importRun(history, rollouts, marble.checkpointAt(3));
      const shown = (await store.loadRun(record.id)).steps.map(({ step }) => step);
      const { resumed } = await store.resumeRun(record.id);
      await store.appendEvents(record.id, marble.eventsOf(4, 6));
      const steps = (await store.loadRun(record.id)).steps.map(({ step }) => step);
      const rolloutSteps = await store.rolloutSteps(record.id);
      return { shown, resumed: resumed!.checkpoint.step, steps, rolloutSteps };
    });
    const all = [1, 2, 3, 4, 5, 6];
    expect(result).toEqual({ shown: all, resumed: 3, steps: all, rolloutSteps: all });
  });

  it('makes the evaluation again that its checkpoint does not know of', async () => {
    const evals = await page.evaluate(async () => {
      const store = await marble.openStore();
      const { id } = await store.createRun(marble.example, 'example', {});
      await store.saveCheckpoint(id, marble.checkpointAt(2), marble.eventsOf(1, 2));
      const history = await store.loadRun(id);
      const evaluationOf = (step: number) => ({ report: { step } }) as (typeof history.evals)[number];
      const kept: number[][] = [];
      for (const evaluatedStep of [2, 0]) {
        const checkpoint = { ...marble.checkpointAt(2), trainer: { evaluatedStep } };
        const evaluated = { ...history, evals: [evaluationOf(0), evaluationOf(2)] };
        evaluated.record = { ...history.record, createdAt: evaluatedStep };
        const { record } = await store.importRun(evaluated, [], checkpoint);
        await store.resumeRun(record.id);
        kept.push((await store.loadRun(record.id)).evals.map(({ report }) => report.step));
      }
      return kept;
    });
    expect(evals).toEqual([[0, 2], [0]]);
  });
});

describe('a run from a file with its rollouts', () => {
  it('has them step by step, and gives them back so', async () => {
    const batches = await page.evaluate(async () => {
      const store = await marble.openStore();
      const { id } = await store.createRun(marble.example, 'example', {});
      const history = await store.loadRun(id);
      await store.deleteRun(id);
      async function* read() {
        for (const step of [1, 2, 5]) {
          await new Promise((resolve) => setTimeout(resolve)); // no transaction outlives it
          yield [marble.rolloutAt(step), marble.rolloutAt(step)];
        }
      }
      const { record } = await store.importRun(history, read(), null);
      const given: number[][] = [];
      for await (const batch of store.rolloutBatches(record.id)) given.push(batch.map(({ step }) => step));
      return given;
    });
    expect(batches).toEqual([
      [1, 1],
      [2, 2],
      [5, 5],
    ]);
  });

  it('leaves nothing behind where the file turns out damaged, nor for ever where the tab died', async () => {
    const result = await page.evaluate(async () => {
      const store = await marble.openStore();
      const { id } = await store.createRun(marble.example, 'example', {});
      const history = await store.loadRun(id);
      await store.deleteRun(id);
      const keys = () =>
        marble.strictStore('marble')('readonly', async (raw) => {
          const request = raw.getAllKeys();
          await new Promise((resolve) => (request.onsuccess = resolve));
          return request.result as unknown[][];
        });
      async function* damaged() {
        yield [marble.rolloutAt(1)];
        await Promise.resolve();
        throw new Error('the hash does not hold');
      }
      const thrown = await marble.codeOf(store.importRun(history, damaged(), null));
      const after = (await keys()).length;
      const ago = (startedAt: number) =>
        marble.strictStore('marble')('readwrite', (raw) => {
          raw.put({ id: 'dead', startedAt }, ['import', 'dead']);
          raw.put([marble.rolloutAt(1)], ['rollouts', 'dead', 0, 1]);
        });
      const left: number[] = [];
      for (const startedAt of [Date.now(), Date.now() - 4_000_000]) {
        await ago(startedAt);
        await store.deleteRun((await store.importRun(history, [], null)).record.id);
        left.push((await keys()).length);
      }
      return { thrown, after, left };
    });
    expect(result).toEqual({ thrown: 'Error: the hash does not hold', after: 0, left: [2, 0] });
  });
});

describe('a sweep in the store', () => {
  it('comes back as it was last kept, and leaves its runs behind when it is deleted', async () => {
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
});

describe('a run in the store', () => {
  it('comes back after a reload with its log in the order in which it happened', async () => {
    const id = await page.evaluate(async () => {
      const store = await marble.openStore();
      const run = await store.createRun(marble.example, 'example', { adapter: 'none' });
      await store.appendEvents(run.id, marble.eventsOf(1, 3));
      await store.appendEvents(run.id, marble.eventsOf(4, 4));
      await store.updateRun(run.id, { notes: 'first try', status: 'paused' });
      return run.id;
    });
    await page.reload();
    await page.waitForFunction(() => 'marble' in globalThis);
    const { runs, history, rolloutSteps } = await page.evaluate(async (runId) => {
      const store = await marble.openStore();
      return {
        runs: await store.listRuns(),
        history: await store.loadRun(runId),
        rolloutSteps: await store.rolloutSteps(runId),
      };
    }, id);
    expect(runs).toMatchObject([
      { id, name: 'example', notes: 'first try', status: 'paused', step: 4, checkpointStep: null },
    ]);
    expect(history.record).toEqual(runs[0]);
    expect(history.steps).toEqual([1, 2, 3, 4].map((step) => ({ step, reward: step / 2 })));
    expect(rolloutSteps).toEqual([1, 2, 3, 4]);
  });

  it('goes on exactly where its checkpoint stands: what the log holds beyond it is cut off', async () => {
    const result = await page.evaluate(async () => {
      const store = await marble.openStore();
      const { id } = await store.createRun(marble.example, 'example', {});
      await store.saveCheckpoint(id, marble.checkpointAt(2), marble.eventsOf(1, 2));
      await store.appendEvents(id, marble.eventsOf(3, 5));
      const afterCrash = await marble.openStore();
      const shown = (await afterCrash.loadRun(id)).steps.map(({ step }) => step);
      const { record, resumed } = await afterCrash.resumeRun(id);
      await afterCrash.appendEvents(id, marble.eventsOf(3, 3));
      const steps = (await afterCrash.loadRun(id)).steps.map(({ step }) => step);
      return { shown, record, step: marble.stepWithin(resumed!.checkpoint), steps };
    });
    expect(result.shown).toEqual([1, 2, 3, 4, 5]);
    expect(result.record).toMatchObject({ step: 2, checkpointStep: 2, status: 'running' });
    expect(result.step).toBe(2);
    expect(result.steps).toEqual([1, 2, 3]);
  });

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

describe('a checkpoint whose hash does not hold', () => {
  it('is passed over for the one before, and the run goes on from there', async () => {
    const result = await page.evaluate(async () => {
      const store = await marble.openStore();
      const { id } = await store.createRun(marble.example, 'example', {});
      for (let step = 1; step <= 3; step += 1) {
        await store.saveCheckpoint(id, marble.checkpointAt(step), marble.eventsOf(step, step));
      }
      // Step 3 was the third save, so it lies where step 1 did.
      await marble.strictStore('marble')('readwrite', (raw) => {
        const damaged = marble.checkpointAt(3);
        damaged.policy.moment2[500] += 1;
        raw.put(damaged, ['weights', id, 'even']);
      });
      const loaded = await store.loadCheckpoint(id);
      const { resumed } = await store.resumeRun(id);
      const steps = (await store.loadRun(id)).steps.map(({ step }) => step);
      // The damaged one is the older from now on, so the good one survives the next save.
      await store.saveCheckpoint(id, marble.checkpointAt(4), marble.eventsOf(3, 4));
      const after = await store.loadCheckpoint(id);
      return {
        loaded: [loaded!.checkpoint.step, loaded!.fellBack],
        resumed: [resumed!.checkpoint.step, resumed!.fellBack],
        steps,
        after: [marble.stepWithin(after!.checkpoint), after!.fellBack],
      };
    });
    expect(result).toEqual({ loaded: [2, true], resumed: [2, true], steps: [1, 2], after: [4, false] });
  });

  it('is none where another tab saves both generations while it is looked for', async () => {
    const found = await page.evaluate(async () => {
      const store = await marble.openStore();
      const { id } = await store.createRun(marble.example, 'example', {});
      for (const step of [1, 2]) await store.saveCheckpoint(id, marble.checkpointAt(step));
      const use = marble.strictStore('marble');
      let calls = 0;
      const interrupted: typeof use = async (mode, callback) => {
        const result = await use(mode, callback);
        if (calls++ === 0)
          for (const step of [3, 4]) await store.saveCheckpoint(id, marble.checkpointAt(step));
        return result;
      };
      const checkpoint = await marble.findCheckpoint(interrupted, id);
      return [marble.stepWithin(checkpoint!.checkpoint), checkpoint!.fellBack];
    });
    expect(found).toEqual([4, false]);
  });

  it('is refused by name when no generation holds', async () => {
    const code = await page.evaluate(async () => {
      const store = await marble.openStore();
      const { id } = await store.createRun(marble.example, 'example', {});
      await store.saveCheckpoint(id, marble.checkpointAt(1));
      await marble.strictStore('marble')('readwrite', (raw) => {
        raw.put(marble.checkpointAt(9), ['weights', id, 'even']);
      });
      return marble.codeOf(store.loadCheckpoint(id));
    });
    expect(code).toBe('store/damaged-checkpoint');
  });
});

describe('storage that fails', () => {
  it('when full says so, keeps the previous checkpoint, and takes up the log when there is room again', async () => {
    const session = await context.newCDPSession(page);
    const origin = server.address;
    await session.send('Storage.overrideQuotaForOrigin', { origin, quotaSize: 2_000_000 });
    const id = await page.evaluate(async () => {
      const store = await marble.openStore();
      const run = await store.createRun(marble.example, 'example', {});
      await store.saveCheckpoint(run.id, marble.checkpointAt(1), marble.eventsOf(1, 1));
      Object.assign(globalThis, { kept: store });
      return run.id;
    });
    const full = await page.evaluate(async (runId) => {
      const store = (globalThis as unknown as { kept: Awaited<ReturnType<typeof marble.openStore>> }).kept;
      const code = await marble.codeOf(
        store.saveCheckpoint(runId, marble.checkpointAt(2, 1_000_000), marble.eventsOf(2, 2)),
      );
      const loaded = await store.loadCheckpoint(runId);
      const history = await store.loadRun(runId);
      return {
        code,
        step: marble.stepWithin(loaded!.checkpoint),
        steps: history.steps.map(({ step }) => step),
      };
    }, id);
    expect(full).toEqual({ code: 'store/full', step: 1, steps: [1] });

    await session.send('Storage.overrideQuotaForOrigin', { origin });
    const roomAgain = await page.evaluate(async (runId) => {
      const store = (globalThis as unknown as { kept: Awaited<ReturnType<typeof marble.openStore>> }).kept;
      await store.saveCheckpoint(runId, marble.checkpointAt(3, 1_000_000), marble.eventsOf(3, 3));
      const loaded = await store.loadCheckpoint(runId);
      const history = await store.loadRun(runId);
      return { step: marble.stepWithin(loaded!.checkpoint), steps: history.steps.map(({ step }) => step) };
    }, id);
    expect(roomAgain).toEqual({ step: 3, steps: [1, 2, 3] });
  });

  it('in the middle of a save leaves the previous checkpoint and the previous log', async () => {
    const result = await page.evaluate(async () => {
      const store = await marble.openStore();
      const { id } = await store.createRun(marble.example, 'example', {});
      await store.saveCheckpoint(id, marble.checkpointAt(1), marble.eventsOf(1, 1));
      const put = Object.getOwnPropertyDescriptor(IDBObjectStore.prototype, 'put')!;
      const results: unknown[] = [];
      // Breaks the n-th write of a save, for every n that a save has.
      for (let broken = 1; broken <= 5; broken += 1) {
        let writes = 0;
        IDBObjectStore.prototype.put = function (...given: [unknown, IDBValidKey?]) {
          writes += 1;
          if (writes === broken) throw new DOMException('the disk is gone', 'NotReadableError');
          return (put.value as IDBObjectStore['put']).apply(this, given);
        };
        const other = await marble.openStore();
        const code = await marble.codeOf(
          other.saveCheckpoint(id, marble.checkpointAt(2), marble.eventsOf(2, 2)),
        );
        Object.defineProperty(IDBObjectStore.prototype, 'put', put);
        const loaded = await store.loadCheckpoint(id);
        const { steps, record } = await store.loadRun(id);
        results.push([code, marble.stepWithin(loaded!.checkpoint), steps.length, record.checkpointStep]);
      }
      return results;
    });
    expect(result).toEqual(Array.from({ length: 5 }, () => ['store/unavailable', 1, 1, 1]));
  });

  it.each(['saving', 'resuming', 'importing'] as const)(
    'at any of its calls, once or for good, while %s leaves a run whole',
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
            const { id } = await store.createRun(marble.example, 'example', {});
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
                  : store.importRun(
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

  it('as a run ends is told how it ended with the next thing that it takes', async () => {
    const record = await page.evaluate(async () => {
      const store = await marble.openStore();
      const { id } = await store.createRun(marble.example, 'example', {});
      await store.appendEvents(id, marble.eventsOf(1, 1));
      const put = Object.getOwnPropertyDescriptor(IDBObjectStore.prototype, 'put')!;
      IDBObjectStore.prototype.put = () => {
        throw new DOMException('the disk is gone', 'NotReadableError');
      };
      const error = { code: 'gpu/out-of-memory' as const, message: 'No memory.', nextStep: 'Less.' };
      await marble.codeOf(store.appendEvents(id, [...marble.eventsOf(2, 2), { type: 'failed', error }]));
      Object.defineProperty(IDBObjectStore.prototype, 'put', put);
      await store.appendEvents(id, []);
      return (await store.loadRun(id)).record;
    });
    expect(record).toMatchObject({ status: 'failed', step: 2, failure: 'No memory. Less.' });
  });

  it('by dropping the connection is opened again', async () => {
    const result = await page.evaluate(async () => {
      const store = await marble.openStore();
      const { id } = await store.createRun(marble.example, 'example', {});
      // The first transaction of each call meets a connection that is closing, as Safari's do in the background.
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

  it('by giving no answer is not waited for, and asked again after a pause', async () => {
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
        return {} as IDBOpenDBRequest; // neither success nor error, ever
      };
      const unopened = marble.strictStore('silent', patience);
      codes.push(await put(unopened), await put(unopened));
      Object.defineProperty(IDBFactory.prototype, 'open', open);
      await pause();
      codes.push(await put(unopened));

      const transaction = Object.getOwnPropertyDescriptor(IDBDatabase.prototype, 'transaction')!;
      IDBDatabase.prototype.transaction = function (...given: Parameters<IDBDatabase['transaction']>) {
        const real = (transaction.value as IDBDatabase['transaction']).apply(this, given);
        real.addEventListener = () => undefined; // it completes, and nobody is told
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

  it('by not being there is named', async () => {
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

describe('an imported data set', () => {
  it('is listed, read whole, and deleted', async () => {
    const result = await page.evaluate(async () => {
      const store = await marble.openStore();
      const item = {
        id: 'a',
        dataset: 'hitom',
        storyId: 's',
        story: 'Sally …',
        question: 'Where?',
        answer: 'box',
        order: 1,
        shortcuts: {},
      };
      const about = { dataset: 'hitom', licence: 'Apache-2.0', format: 'jsonl' };
      const open = await store.putDataset({ ...about, name: 'open' }, [{ ...item, training: 'allowed' }]);
      const closed = await store.putDataset({ ...about, name: 'closed' }, [
        { ...item, training: 'forbidden' },
      ]);
      const listed = (await store.listDatasets()).map(({ name, count, training }) => [name, count, training]);
      const { items } = await store.loadDataset(open.id);
      await store.deleteDataset(closed.id);
      return {
        listed: listed.sort(),
        again: (await store.putDataset({ ...about, name: 'open' }, items)).id === open.id,
        other: (await store.putDataset({ ...about, name: 'open' }, [{ ...items[0], answer: 'bag' }])).id,
        answer: items[0].answer,
        left: (await store.listDatasets()).length,
        code: await marble.codeOf(store.loadDataset(closed.id)),
      };
    });
    expect(result).toEqual({
      listed: [
        ['closed', 1, 'forbidden'],
        ['open', 1, 'allowed'],
      ],
      again: true,
      other: expect.stringMatching(/^open-[0-9a-f]{16}$/) as string,
      answer: 'box',
      left: 2,
      code: 'store/no-dataset',
    });
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
