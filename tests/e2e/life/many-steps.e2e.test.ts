/**
 * The smallest toy takes many steps in a page: a step costs as much memory, storage and DOM at the end as at the beginning.
 * `MARBLE_STEPS=100000` makes the run longer.
 */
import type { Page } from 'playwright-core';
import { expect, inject, it } from 'vitest';
import { mean } from '../../../src/base/statistics';
import { folderForAll } from '../../fixtures/folder';
import { driveLife } from '../helpers/browser-life';
import { pauseAtStep, shortRun, startRun } from '../helpers/visitor';
import { watchPage, watchWorker } from '../helpers/worker-heap';

const steps = Number(process.env.MARBLE_STEPS ?? 12_000);
const looksTaken = 10;
const folder = folderForAll('many');
/** More steps than are taken, because a run that ends releases its tensors. */
const margin = 1000;
/** Tests that are as rare as the settings allow, and checkpoints as the page makes them. */
const link = shortRun({
  ...{ preset: 'ladder-12k', steps: steps + margin, checkpointEvery: 100_000, 'evaluation.every': 100_000 },
  ...{ 'rollout.promptsPerStep': 2, 'rollout.samplesPerPrompt': 2, 'rollout.maxNewTokens': 8 },
});

type Row = Record<string, number>;

/** The last rows of the only run, and the bytes of the page's storage. Runs in the page. */
async function readStorage(): Promise<{ rows: Row[]; usage: number }> {
  const opened = indexedDB.open('marble');
  await new Promise((resolve) => (opened.onsuccess = resolve));
  const store = opened.result.transaction('marble').objectStore('marble');
  const request = store.openCursor(IDBKeyRange.bound(['step'], ['step', []]), 'prev');
  const rows: Row[] = [];
  await new Promise<void>((resolve) => {
    request.onsuccess = () => {
      if (request.result === null || rows.length >= 200) resolve();
      else {
        rows.push(request.result.value as Row);
        request.result.continue();
      }
    };
  });
  opened.result.close();
  const { usage = 0 } = await navigator.storage.estimate();
  return { rows, usage };
}

const reachStep = (page: Page, step: number): Promise<unknown> =>
  page.waitForFunction(
    (least) => (document.querySelector<HTMLProgressElement>('.run-panel progress')?.value ?? 0) >= least,
    step,
    { timeout: 0, polling: 250 },
  );

it(
  `a run of ${steps} steps in the page keeps its memory within 10 %`,
  { tags: ['long'], timeout: 300_000 + 100 * steps },
  async () => {
    const { page, kill } = await driveLife(folder, inject('address') + link);
    try {
      const watching = watchWorker(page, 'trainer.worker');
      const lookAtPage = await watchPage(page);
      await startRun(page);
      const lookAtWorker = await watching;
      let [since, from] = [performance.now(), 0];
      const looks: Record<string, number>[] = [];
      while (looks.length < looksTaken) {
        await reachStep(page, ((looks.length + 1) * steps) / looksTaken);
        const step = await pauseAtStep(page);
        const stepsPerSecond = (1000 * (step - from)) / (performance.now() - since);
        const { heapBytes: worker, ...ofWorker } = await lookAtWorker();
        const { heapBytes: ofPage, nodes, listeners } = await lookAtPage();
        const { rows, usage } = await page.evaluate(readStorage);
        const msOf = (name: string): number => 1000 * mean(rows.map((row) => row[name] ?? 0));
        looks.push({
          ...{ step, stepsPerSecond, stepMs: msOf('step_time'), storeMs: msOf('time/store') },
          ...{ page: ofPage, worker, ...ofWorker, nodes, listeners },
          storedPerStep: usage / step,
        });
        console.log(JSON.stringify(looks.at(-1)));
        await page.getByRole('button', { name: 'Resume', exact: true }).click();
        [since, from] = [performance.now(), step];
      }
      const middle = looks[looksTaken / 2 - 1];
      const last = looks[looksTaken - 1];
      for (const { tensors, tensorBytes } of looks) {
        expect([tensors, tensorBytes]).toEqual([looks[0].tensors, looks[0].tensorBytes]);
      }
      expect(last.wasmBytes).toBe(middle.wasmBytes);
      expect(last.nodes).toBeLessThan(1.2 * middle.nodes);
      expect(last.listeners).toBeLessThan(1.2 * middle.listeners);
      // From the third look on, a page holds as many rows at a step as at twice this step. One look is off by some percent.
      const heapOf = (look: number): number => looks[look - 1].page + looks[look - 1].worker;
      const growth = mean([6, 8, 10].map(heapOf)) / mean([3, 4, 5].map(heapOf));
      console.log(`heap: ${growth.toFixed(3)} times that at half of the steps`);
      expect(growth).toBeLessThan(1.1);
      expect(last.bufferBytes).toBeLessThan(1.1 * middle.bufferBytes);
      expect(last.storedPerStep).toBeLessThan(1.2 * middle.storedPerStep);
    } finally {
      await kill();
    }
  },
);
