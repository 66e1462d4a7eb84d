/**
 * The page without a network, and beside a copy of itself.
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
import { readAll } from '../helpers/stored-run';
import { longRun, newProfile, openPage, reachStep, runToEnd, shortRun, startRun } from '../helpers/visitor';

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
    const stored = async (path: string) => {
      const runs = await readAll<{ config: { steps: number } }>(second, ['run'], `marble ${path}`);
      return runs.map(({ config }) => config.steps);
    };
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
