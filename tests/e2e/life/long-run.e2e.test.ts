/** A run of 500 steps in the page: at its end as at its beginning, a step adds only its record. */
import { describe, expect, it } from 'vitest';
import { sampled } from '../../fixtures/sample';
import {
  newProfile,
  openBrowserForAll,
  openPage,
  pauseAtStep,
  reachStep,
  shortRun,
  startRun,
} from '../helpers/visitor';
import { watchWorker, type WorkerHeap } from '../helpers/worker-heap';

openBrowserForAll();

/** Minimum number of measurements, and of steps between two of them; quick steps end before a pause takes effect. */
const looksTaken = 5;
const between = 125;
/** More steps than are taken, because a run that ends releases its tensors. */
const steps = 10_000;

interface Stored {
  /** Bytes of the texts, numbers and arrays in the log of steps. */
  log: number;
  /** The same for checkpoints and their weights. */
  checkpoints: number;
  /** The browser's own estimate of the page's storage, including garbage. */
  usage: number;
}

/** Runs in the page. */
async function readSizes(): Promise<Stored> {
  const opened = indexedDB.open('marble');
  await new Promise((resolve) => (opened.onsuccess = resolve));
  const store = opened.result.transaction('marble').objectStore('marble');
  const sizeOf = (value: unknown): number => {
    if (typeof value === 'string') return 2 * value.length;
    if (typeof value !== 'object' || value === null) return 8;
    if (value instanceof ArrayBuffer || ArrayBuffer.isView(value)) return value.byteLength;
    if (value instanceof Blob) return value.size;
    return Object.entries(value).reduce((sum, [name, each]) => sum + 2 * name.length + sizeOf(each), 0);
  };
  const all = async (kind: string): Promise<number> => {
    const request = store.getAll(IDBKeyRange.bound([kind], [kind, []]));
    await new Promise((resolve) => (request.onsuccess = resolve));
    return sizeOf(request.result);
  };
  const sizes = await Promise.all(['step', 'rollouts', 'eval', 'alert', 'checkpoint', 'weights'].map(all));
  opened.result.close();
  const { usage = 0 } = await navigator.storage.estimate();
  return {
    log: sizes[0] + sizes[1] + sizes[2] + sizes[3],
    checkpoints: sizes[4] + sizes[5],
    usage,
  };
}

interface Look extends WorkerHeap, Stored {
  step: number;
}

describe('a run of 500 steps in the page', () => {
  it.skipIf(sampled(true, false))(
    'has a constant number of tensors and bytes, and worker and storage grow only by its records',
    { timeout: 900_000 },
    async () => {
      const profile = await newProfile();
      const link = shortRun({ steps, 'evaluation.every': 50, checkpointEvery: 5 });
      const page = await openPage(profile, link);
      const watching = watchWorker(page, 'trainer.worker');
      await startRun(page);
      const look = await watching;
      const looks: Look[] = [];
      while (looks.length < looksTaken) {
        await reachStep(page, (looks.at(-1)?.step ?? 0) + between);
        const step = await pauseAtStep(page);
        looks.push({ step, ...(await look()), ...(await page.evaluate(readSizes)) });
        console.log(JSON.stringify(looks.at(-1)));
        await page.getByRole('button', { name: 'Resume', exact: true }).click();
      }
      await page.getByRole('button', { name: 'Stop' }).click();

      const [first, second, third, , last] = looks;
      expect(last.step - first.step).toBeGreaterThanOrEqual(500);
      for (const { tensors, tensorBytes } of looks) {
        expect([tensors, tensorBytes]).toEqual([first.tensors, first.tensorBytes]);
      }
      const perStep = (from: Look, to: Look, of: 'heapBytes' | 'bufferBytes' | 'log'): number =>
        (to[of] - from[of]) / (to.step - from.step);
      // The worker keeps only the row of each step, so that the run can be saved as a file if the storage fails.
      expect(perStep(third, last, 'heapBytes')).toBeLessThan(4000);
      expect(perStep(third, last, 'heapBytes')).toBeLessThan(1.5 * perStep(first, third, 'heapBytes'));
      expect(perStep(second, last, 'bufferBytes')).toBeLessThan(100);
      expect(perStep(third, last, 'log')).toBeLessThan(1.2 * perStep(first, third, 'log'));
      expect(last.checkpoints).toBeLessThan(1.1 * first.checkpoints);
      // The browser has deleted most of the replaced checkpoints.
      expect(last.usage - second.usage).toBeLessThan(last.log - second.log + 8e6);
    },
  );
});
