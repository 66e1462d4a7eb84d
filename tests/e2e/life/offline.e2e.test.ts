/**
 * The page without a network, after an update, and beside a copy of itself.
 *
 * @module-tag long
 */
import { createHash } from 'node:crypto';
import { cp, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { BrowserContext, Page } from 'playwright-core';
import { describe, expect, inject, it } from 'vitest';
import { folderForAll } from '../../fixtures/folder';
import { servePlainly } from '../../fixtures/servers/plain-server';
import { serveBuild } from '../helpers/build-and-serve';
import {
  keptRuns,
  longRun,
  newProfile,
  openBrowserForAll,
  openPage,
  reachStep,
  runToEnd,
  shortRun,
  startButton,
  startRun,
} from '../helpers/visitor';

openBrowserForAll();

/** A profile that has opened and cached the page. */
async function visited(address: string): Promise<{ profile: BrowserContext; page: Page }> {
  const profile = await newProfile({ serviceWorkers: 'allow' });
  const page = await profile.newPage();
  await page.goto(address);
  await page.evaluate(() => navigator.serviceWorker.ready.then(() => undefined));
  return { profile, page };
}

/** Makes another version of a build, with another title. */
async function makeNewer(folder: string): Promise<void> {
  const index = join(folder, 'index.html');
  const old = await readFile(index, 'utf8');
  const text = old.replace('<title>Marble', '<title>Newer Marble');
  await writeFile(index, text);
  const worker = join(folder, 'service-worker.js');
  const code = await readFile(worker, 'utf8');
  const hash = (content: string): string => createHash('sha256').update(content).digest('hex');
  const newer = code.replace('"version":"', '"version":"newer-').replace(hash(old), hash(text));
  expect(newer).toContain(hash(text));
  expect(newer).toContain('"newer-');
  await writeFile(worker, newer);
}

describe('a page that was opened once', () => {
  const folder = folderForAll('update');

  it('starts without a network, shows its recordings, and trains', async () => {
    const { profile, page } = await visited(inject('address'));
    await page.close();
    await profile.setOffline(true);
    const offline = await openPage(profile, shortRun({ steps: 3, 'evaluation.every': 3 }));
    const first = await openPage(profile, '');
    for (const recording of ['.story.short', '.real-run']) await first.locator(recording).waitFor();
    await first.close();
    await runToEnd(offline);
    await offline.getByRole('button', { name: 'Sweeps' }).click();
    await offline.getByRole('heading', { name: 'Sweeps', exact: true }).waitFor();
  });

  it('caches the weights of the largest models and adapters on first use', async () => {
    const { profile, page } = await visited(inject('address'));
    await page.reload(); // the service worker answers from the second load on
    const weights = (file: string) =>
      page.evaluate(
        (path) =>
          fetch(path, { headers: { range: 'bytes=0-7' } }).then(
            async (response) => (await response.arrayBuffer()).byteLength,
            () => null,
          ),
        file,
      );
    const cachedWeights = () =>
      page.evaluate(async () => {
        const [shell] = (await caches.keys()).filter((name) => name.startsWith('marble-shell-'));
        const requests = await (await caches.open(shell)).keys();
        return requests
          .map(({ url }) => /\/((models|adapters)\/.*\.safetensors)$/.exec(url)?.[1] ?? '')
          .filter(Boolean);
      });
    const large = 'models/ladder-398k/model.safetensors';
    const adapter = 'adapters/rooms-135m/adapter_model.safetensors';
    expect(await cachedWeights()).toContain('models/ladder-25k/model.safetensors');
    for (const file of [large, adapter]) {
      expect(await cachedWeights()).not.toContain(file);
      expect(await weights(file)).toBeGreaterThan(1e6);
      await expect.poll(cachedWeights).toContain(file); // the response does not wait for it
    }
    await profile.setOffline(true);
    for (const file of [large, adapter]) expect(await weights(file)).toBeGreaterThan(1e6);
    expect(await weights('models/hitom-mini/model.safetensors')).toBeNull();
  });

  it('gets its new version when it is reopened, but not while one of its tabs trains', async () => {
    await cp(inject('folder'), folder, { recursive: true });
    const { server, address } = await serveBuild(folder);
    try {
      const { profile, page } = await visited(address);
      await page.goto('about:blank');
      await page.goto(`${address}${longRun()}`);
      await startRun(page);
      await reachStep(page, 1);
      await makeNewer(folder);

      // Pauses the run while the new version is fetched, because on two cores they would wait for each other.
      await page.getByRole('button', { name: 'Pause' }).click();
      await page.evaluate(async () => {
        const registration = (await navigator.serviceWorker.getRegistration())!;
        await registration.update();
        while (registration.waiting === null) await new Promise((resolve) => setTimeout(resolve, 100));
      });
      // Next to a tab that trains, a second tab has the same version.
      const second = await profile.newPage();
      await second.goto(address);
      expect(await second.title()).toMatch(/^Marble/);
      await second.close();
      await page.bringToFront();
      await page.getByRole('button', { name: 'Resume', exact: true }).click();
      const before = Number(await page.locator('.run-panel progress').getAttribute('value'));
      await reachStep(page, before + 2);
      expect(await page.title()).toContain(' · Marble');

      await page.close();
      // Each visit closes its tab, which would otherwise hold the old version.
      const look = async (): Promise<string> => {
        const later = await profile.newPage();
        await later.goto(`${address}#run`);
        await startButton(later).waitFor();
        const title = await later.title();
        await later.close();
        return title;
      };
      await expect.poll(look, { timeout: 90_000, interval: 1000 }).toMatch(/^Newer Marble/);

      // The new version alone answers without a network, and resumes the run of the old one.
      await server.close();
      await profile.setOffline(true);
      expect(await look()).toMatch(/^Newer Marble/);
      const resumed = await openPage(profile, '#run', address);
      const list = await keptRuns(resumed);
      await list
        .getByRole('button', { name: /^Resume/ })
        .first()
        .click();
      await reachStep(resumed, before + 3);
      const kept = await resumed.evaluate(() => caches.keys());
      const shells = kept.filter((name) => name.startsWith('marble-shell-'));
      expect(shells).toEqual([expect.stringContaining(' newer-')]);
    } finally {
      await server.close();
    }
  });
});

describe('two copies of the page on one host', () => {
  const folder = folderForAll('copies');

  it('have their own runs, locks and offline files', async () => {
    for (const copy of ['a', 'b']) await cp(inject('folder'), join(folder, copy), { recursive: true });
    await makeNewer(join(folder, 'b'));
    const server = await servePlainly(folder);
    const [a, b] = ['a/', 'b/'].map((path) => server.address + path);
    const { profile, page } = await visited(a);
    await page.close();
    const first = await openPage(profile, longRun(), a);
    await startRun(first);
    await reachStep(first, 1);

    // The other copy trains next to it, and activates another version.
    const second = await openPage(profile, shortRun({ steps: 2, 'evaluation.every': 2 }), b);
    await second.evaluate(() => navigator.serviceWorker.ready.then(() => undefined));
    await runToEnd(second);
    const stored = (path: string) =>
      second.evaluate(async (name) => {
        const opened = indexedDB.open(name);
        await new Promise((resolve) => (opened.onsuccess = resolve));
        const store = opened.result.transaction('marble').objectStore('marble');
        const request = store.getAll(IDBKeyRange.bound(['run'], ['run', []]));
        await new Promise((resolve) => (request.onsuccess = resolve));
        opened.result.close();
        return (request.result as { config: { steps: number } }[]).map(({ config }) => config.steps);
      }, `marble ${path}`);
    expect(await stored('/b/')).toEqual([2]);
    expect((await stored('/a/')).every((steps) => steps > 2)).toBe(true);
    await second.close();
    await first.close();

    await server.close();
    for (const [address, title] of [
      [a, /^Marble/],
      [b, /^Newer Marble/],
    ] as const) {
      const offline = await openPage(profile, '', address);
      expect(await offline.title()).toMatch(title);
      await offline.close();
    }
  });
});
