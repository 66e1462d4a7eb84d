import { describe, expect, it } from 'vitest';
import { inStorePage, page } from './opened-store';
import type { StorePage } from './store-page';

/** In the page only. */
declare const marble: StorePage;

inStorePage();

it('a run from a file is kept once, however often it is opened, and one that ended reads so', async () => {
  const result = await page.evaluate(async () => {
    const store = await marble.openStore();
    const { id } = await store.createRun({ ...marble.example, steps: 3 }, 'example', {});
    await store.saveCheckpoint(id, marble.checkpointAt(3), marble.eventsOf(1, 3));
    const history = await store.loadRun(id);
    const same = await store.keepRun(history, [], marble.checkpointAt(3));
    await store.deleteRun(id);
    const first = await store.keepRun(history, [], marble.checkpointAt(3));
    const again = await store.keepRun(history, [], marble.checkpointAt(3));
    const shorter = { ...history, steps: history.steps.slice(0, 2) };
    const other = await store.keepRun(shorter, [], marble.checkpointAt(3));
    return { id, same, first, again, other, kept: (await store.listRuns()).length };
  });
  expect(result.same).toMatchObject({ isNew: false, record: { id: result.id } });
  expect(result.first).toMatchObject({ isNew: true, record: { status: 'done', step: 3 } });
  expect(result.again).toMatchObject({ isNew: false, record: { id: result.first.record.id } });
  expect(result.other.isNew).toBe(true);
  expect(result.kept).toBe(2);
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
      const { record } = await store.keepRun(history, rollouts, marble.checkpointAt(3));
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
        const { record } = await store.keepRun(evaluated, [], checkpoint);
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
      const { record } = await store.keepRun(history, read(), null);
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
      const thrown = await marble.codeOf(store.keepRun(history, damaged(), null));
      const after = (await keys()).length;
      const ago = (startedAt: number) =>
        marble.strictStore('marble')('readwrite', (raw) => {
          raw.put({ id: 'dead', startedAt }, ['import', 'dead']);
          raw.put([marble.rolloutAt(1)], ['rollouts', 'dead', 0, 1]);
        });
      const left: number[] = [];
      for (const startedAt of [Date.now(), Date.now() - 4_000_000]) {
        await ago(startedAt);
        await store.deleteRun((await store.keepRun(history, [], null)).record.id);
        left.push((await keys()).length);
      }
      return { thrown, after, left };
    });
    expect(result).toEqual({ thrown: 'Error: the hash does not hold', after: 0, left: [2, 0] });
  });
});
