/** The site is replaced by another build while its tabs are open. Every script of that build has another name. */
import { cp, mkdtemp, readdir, readFile, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { BrowserContext, Page } from 'playwright-core';
import { build, type Plugin, type PreviewServer } from 'vite';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, inject, it } from 'vitest';
import { root, serveBuild } from '../helpers/build-and-serve';
import { readStored, rowsOf } from '../helpers/stored-run';
import {
  fileOf,
  finish,
  keptRuns,
  largeSteps,
  newProfile,
  openPage,
  place,
  reachStep,
  shortRun,
  startButton,
  startRun,
} from '../helpers/visitor';

/** Adds a statement to every chunk, which changes its hash. */
const secondVersion = (): Plugin => ({
  name: 'second-version',
  renderChunk: (code) => `${code}\nglobalThis.marbleVersion = 'second';\n`,
});

let folder: string;
let second: string;
let served: string;
let server: PreviewServer;
let address: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'marble-versions-'));
  second = join(folder, 'second');
  await build({
    root,
    logLevel: 'error',
    plugins: [secondVersion()],
    worker: { plugins: () => [secondVersion()] },
    build: { outDir: second },
  });
  const scripts = async (build: string): Promise<string[]> =>
    (await readdir(join(build, 'assets'))).filter((name) => name.endsWith('.js'));
  const newer = await scripts(second);
  expect((await scripts(inject('folder'))).filter((name) => newer.includes(name))).toEqual([]);
});
afterAll(() => rm(folder, { recursive: true }));

beforeEach(async () => {
  served = join(folder, 'served');
  await cp(inject('folder'), served, { recursive: true });
  ({ server, address } = await serveBuild(served));
});
afterEach(async () => {
  await server.close();
  await rm(served, { recursive: true });
});

async function deploySecond(): Promise<void> {
  await cp(second, `${served}-next`, { recursive: true });
  await rm(served, { recursive: true });
  await rename(`${served}-next`, served);
}

/** The script that the page began with, and that of a build. */
const entryOf = (page: Page) =>
  page.evaluate(() =>
    document.querySelector<HTMLScriptElement>('script[type=module]')!.src.split('/').at(-1),
  );
const entryIn = async (build: string) =>
  /assets\/(index-[\w-]+\.js)/.exec(await readFile(join(build, 'index.html'), 'utf8'))![1];

/** A tab of the first version that has loaded only the parts of its first screen. */
async function openedFirst(profile: BrowserContext, hash?: string): Promise<Page> {
  const page = await openPage(profile, hash, address);
  await startButton(page).waitFor();
  const train = (): Promise<string> => startButton(page).innerText();
  await expect.poll(train, { timeout: 100_000 }).toMatch(/^Train, about/); // the plan needs parts
  expect(await entryOf(page)).toBe(await entryIn(inject('folder')));
  return page;
}

/** Twelve steps, long enough to be stopped between two of them. */
const run = shortRun({ steps: 12, ...largeSteps });

describe('a tab of the version before', () => {
  it(
    'has all its parts from the cache, and after it the new version resumes its run, also without a network',
    { tags: ['long'] },
    async () => {
      const profile = await newProfile({ serviceWorkers: 'allow' });
      const first = await openPage(profile, run, address);
      await first.evaluate(() => navigator.serviceWorker.ready.then(() => undefined));
      await first.reload(); // the service worker answers from the second load on
      await startRun(first);
      await reachStep(first, 2);
      await first.getByRole('button', { name: 'Stop' }).click();
      await first.getByRole('button', { name: /^Resume from step/ }).waitFor();
      const idle = await openedFirst(profile, shortRun({ steps: 2 }));

      await deploySecond();
      for (const name of ['Data', 'Sweeps', 'Class']) {
        await place(first, name).click();
        await first.locator('main h1').waitFor();
      }
      await startRun(idle);
      await finish(idle);
      // The browser itself looks for a new version some time after a visit, and each visit delays that.
      await idle.evaluate(async () => {
        const registration = (await navigator.serviceWorker.getRegistration())!;
        await registration.update();
        while (registration.waiting === null) await new Promise((resolve) => setTimeout(resolve, 100));
      });
      // Beside a tab of the first version another one has it too.
      const beside = await openPage(profile, '#run', address);
      expect(await entryOf(beside)).toBe(await entryIn(inject('folder')));
      for (const page of [first, idle, beside]) await page.close();

      const newer = await entryIn(second);
      const look = async (): Promise<string | undefined> => {
        const page = await openPage(profile, '#run', address);
        await startButton(page).waitFor();
        const entry = await entryOf(page);
        await page.close();
        return entry;
      };
      await expect.poll(look, { timeout: 120_000, interval: 1000 }).toBe(newer);

      await server.close();
      await profile.setOffline(true);
      const resumed = await openPage(profile, '#run', address);
      expect(await entryOf(resumed)).toBe(newer);
      await (
        await keptRuns(resumed)
      )
        .locator('li')
        .nth(1)
        .getByRole('button', { name: /^Resume/ })
        .click();
      await finish(resumed);
      const files = await readdir(second, { recursive: true });
      const cached = await resumed.evaluate(async (start) => {
        const names = (await caches.keys()).filter((name) => name.startsWith('marble-shell-'));
        const lists = names.map(async (name) =>
          (await (await caches.open(name)).keys()).map(({ url }) => url),
        );
        return (await Promise.all(lists)).flat().map((url) => url.slice(start));
      }, address.length);
      expect(cached.filter((file) => !files.includes(file))).toEqual([]);
      expect(cached).toContain(`assets/${newer}`);

      await profile.setOffline(false);
      const whole = await openPage(await newProfile(), run);
      await startRun(whole);
      await finish(whole);
      expect(rowsOf(await readStored(resumed))).toEqual(rowsOf(await readStored(whole)));
    },
  );

  it(
    'says so in words where it has to fetch a part without a cache, and its reload gives the new version',
    { tags: ['long'] },
    async () => {
      const profile = await newProfile();
      const trained = await openPage(profile, shortRun({ steps: 2 }), address);
      await startRun(trained);
      await finish(trained);
      await trained.close();
      const tabs = [];
      for (const hash of ['#run', run, '#run', '#run']) tabs.push(await openedFirst(profile, hash));
      await deploySecond();
      const [page, training, saving, reading] = tabs;

      await place(page, 'Sweeps').click();
      const words = /A part of this page could not be fetched: a new version has replaced this one/;
      await page.getByText(words).waitFor();
      await startRun(training, 'webgpu'); // the plan has loaded the other backend
      const screen = training.getByRole('alert').filter({ hasText: words });
      await screen.waitFor();
      const row = (await keptRuns(saving)).locator('li').first();
      await row.locator('.menu summary').first().click();
      await row.getByRole('button', { name: 'metrics.csv' }).click();
      await saving.getByText(words).waitFor();
      await reading.getByLabel('Open a run from a file').setInputFiles(fileOf('mine.marble', 'a run'));
      await reading.getByText(words).waitFor();

      await screen.getByRole('button', { name: 'Reload the page' }).click();
      await startButton(training).waitFor();
      expect(await entryOf(training)).toBe(await entryIn(second));
      await startRun(training);
      await finish(training);
      await page.getByRole('button', { name: 'Reload the page' }).click();
      await page.getByRole('heading', { name: 'Sweeps', exact: true }).waitFor();
      expect(await entryOf(page)).toBe(await entryIn(second));
    },
  );
});
