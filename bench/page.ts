/**
 * `npm run bench -- page`: times of the page in Chromium, from a local server: the first paint, the first step of the
 * toys, a list of 301 runs, and a run of 50,000 steps that is opened and saved as CSV. Prints one line of JSON.
 */
import { join } from 'node:path';
import { loadavg } from 'node:os';
import { build } from 'vite';
import { chromium, type BrowserContext, type Page } from 'playwright-core';
import { median } from '../src/base/statistics';
import { serveBuild } from '../tests/e2e/helpers/build-and-serve';
import { chromiumFlags, findChromium, withWebGpu } from '../tests/fixtures/chromium';

const VISITS = 5;
const RUNS = 301;
const STEPS = 50_000;

const folder = join('node_modules', '.cache', 'bench-page');
await build({ logLevel: 'error', build: { outDir: folder, emptyOutDir: true } });
const { server, address } = await serveBuild(folder);
const browser = await chromium.launch({
  executablePath: findChromium(),
  args: [...chromiumFlags, ...withWebGpu],
});

const load = loadavg()[0];
const paints: number[] = [];
for (let visit = 0; visit < VISITS; visit += 1) paints.push(await firstPaint());
const figures = {
  load,
  firstPaintMs: median(paints),
  firstStepOfToysMs: await firstStep(),
  ...(await manyRuns()),
};
console.log(JSON.stringify(figures, null, 2));
await browser.close();
await server.close();

async function open(profile: BrowserContext, hash = ''): Promise<Page> {
  const page = await profile.newPage();
  page.setDefaultTimeout(120_000);
  await page.goto(`${address}${hash}`);
  return page;
}

async function firstPaint(): Promise<number> {
  const profile = await browser.newContext();
  const page = await open(profile);
  const time = await page.evaluate(
    () =>
      new Promise<number>((resolve) =>
        new PerformanceObserver((list) => {
          const paint = list.getEntriesByName('first-contentful-paint').at(0);
          if (paint !== undefined) resolve(paint.startTime);
        }).observe({ type: 'paint', buffered: true }),
      ),
  );
  await profile.close();
  return time;
}

/** From the press to the first completed step of the small model. */
async function firstStep(): Promise<number> {
  const profile = await browser.newContext({ viewport: { width: 1280, height: 800 } });
  const page = await open(profile);
  const button = page.getByRole('button', { name: /^Train (two|three) small models/ });
  await button.waitFor();
  await page.waitForTimeout(2000); // a visitor reads first
  const pressed = performance.now();
  await button.click();
  // At every frame: a locator looks only each half second.
  await page.waitForFunction(
    () => /^[1-9]\d*\/60$/.test(document.querySelector('.rung.small .badge')?.textContent ?? ''),
    undefined,
    { polling: 'raf' },
  );
  const time = performance.now() - pressed;
  await profile.close();
  return time;
}

async function manyRuns(): Promise<Record<string, number>> {
  const profile = await browser.newContext({ serviceWorkers: 'block' });
  const first = await open(profile, '#preset=ladder-12k&steps=4&evaluation.items=2&evaluation.finalItems=2');
  await first
    .locator('.start')
    .getByRole('button', { name: /^Train/ })
    .click();
  await first.locator('.run-status').getByText(/^Finished/).waitFor(); // prettier-ignore
  await first.evaluate(multiply, { runs: RUNS, steps: STEPS });
  await first.close();

  const begun = performance.now();
  const page = await open(profile, '#run');
  await page.waitForFunction((count) => document.querySelectorAll('.runs li').length >= count, RUNS);
  const listMs = performance.now() - begun;

  await page.evaluate(watchTasks);
  const long = page.locator('.runs li').filter({ hasText: /50[ ,]?000/ }).first(); // prettier-ignore
  await long.getByRole('button', { name: 'Open' }).click();
  await page.getByText(/^Finished/).first().waitFor(); // prettier-ignore
  await page.locator('.charts canvas').first().waitFor();
  await page.waitForTimeout(3000);
  const openingTaskMs = await page.evaluate(longestTask);

  await page.getByRole('tab', { name: 'Runs', exact: true }).click();
  await long.locator('.menu summary').first().click();
  const runsTabTaskMs = await page.evaluate(longestTask);
  const download = page.waitForEvent('download');
  await long.getByRole('button', { name: 'metrics.csv' }).click();
  await download;
  await page.waitForTimeout(500); // long tasks are reported later
  const csvTaskMs = await page.evaluate(longestTask);
  await profile.close();
  return { listOf301RunsMs: listMs, openingTaskMs, runsTabTaskMs, csvTaskMs };
}

/** Copies the only run of the store, and gives one of the copies many steps. Runs in the page. */
async function multiply({ runs, steps }: { runs: number; steps: number }): Promise<void> {
  const opened = indexedDB.open('marble');
  await new Promise((resolve) => (opened.onsuccess = resolve));
  const change = opened.result.transaction('marble', 'readwrite');
  const store = change.objectStore('marble');
  const all = async <T>(kind: string): Promise<T[]> => {
    const request = store.getAll(IDBKeyRange.bound([kind], [kind, []]));
    await new Promise((resolve) => (request.onsuccess = resolve));
    return request.result as T[];
  };
  interface Run {
    id: string;
    step: number;
    logLength: number;
    checkpointStep: number | null;
    config: { steps: number };
  }
  const [run] = await all<Run>('run');
  const rows = await all<Record<string, number>>('step');
  for (let copy = 1; copy < runs; copy += 1) store.put({ ...run, id: `${run.id}-${copy}`, logLength: 0, checkpointStep: null }, ['run', `${run.id}-${copy}`]); // prettier-ignore
  const id = `${run.id}-1`;
  store.put({ ...run, id, step: steps, logLength: steps, checkpointStep: null, config: { ...run.config, steps } }, ['run', id]); // prettier-ignore
  for (let step = 1; step <= steps; step += 1) {
    store.put({ ...rows[step % rows.length], step }, ['step', id, step - 1, step]);
  }
  await new Promise((resolve) => (change.oncomplete = resolve));
  opened.result.close();
}

/** Runs in the page. */
function watchTasks(): void {
  const watched = globalThis as { tasks?: number[] };
  const tasks: number[] = (watched.tasks = []);
  new PerformanceObserver((list) => tasks.push(...list.getEntries().map(({ duration }) => duration))).observe(
    { type: 'longtask' },
  );
}

/** Longest task since the last call, in ms; tasks of at most 50 ms are 0. Runs in the page. */
function longestTask(): number {
  return Math.max(0, ...(globalThis as unknown as { tasks: number[] }).tasks.splice(0));
}
