/**
 * Cross-origin isolation, which shared memory between threads requires: through the host's headers, and through the
 * service worker.
 */
import type { BrowserContext, Page, Worker } from 'playwright-core';
import { describe, expect, inject, it } from 'vitest';
import { servePlainly } from '../../fixtures/servers/plain-server';
import { finish, newProfile, openPage, shortRun, startButton, startRun } from '../helpers/visitor';

const run = shortRun({ steps: 3, 'evaluation.every': 3 });

/** Opens the page and counts its loads. */
async function opened(profile: BrowserContext, address: string) {
  const loads: string[] = [];
  profile.on('page', (page) => page.on('domcontentloaded', () => loads.push(page.url())));
  return { page: await openPage(profile, run, address), loads };
}

const isIsolated = (page: Page): Promise<boolean> => page.evaluate(() => crossOriginIsolated);

const isHelper = (worker: Worker): boolean => worker.url().includes('/kernel-thread-');

/** Trains with a helper thread. It starts only if it shares the trainer's memory, and ends with the run. */
async function trainWithHelper(page: Page): Promise<void> {
  const started = page.waitForEvent('worker', isHelper);
  await startRun(page);
  await started;
  await finish(page);
  await expect.poll(() => page.workers().filter(isHelper)).toEqual([]);
}

const isKept = (page: Page): Promise<void> =>
  page.evaluate(() => navigator.serviceWorker.ready.then(() => undefined));

describe('a host that sends the headers', () => {
  it('isolates the page at its first and only load, and trains', { tags: ['long'] }, async () => {
    const profile = await newProfile({ serviceWorkers: 'allow' });
    const { page, loads } = await opened(profile, inject('address'));
    expect(await isIsolated(page)).toBe(true);
    await trainWithHelper(page);
    await isKept(page);
    await page.waitForTimeout(1000); // time for a reload, which must not happen
    expect(loads).toHaveLength(1);
  });
});

describe.each(['/', '/marble/'])('a host without headers and with the page at %s', (path) => {
  it('isolates the page after one reload, also without a network', { tags: ['long'] }, async () => {
    const server = await servePlainly(inject('folder'), path);
    try {
      const profile = await newProfile({ serviceWorkers: 'allow' });
      const { page, loads } = await opened(profile, server.address);
      await expect.poll(() => isIsolated(page).catch(() => false)).toBe(true);
      expect(new URL(page.url()).hash).toBe(run);
      await trainWithHelper(page);
      expect(loads).toHaveLength(2);
      await page.close();

      await server.close();
      const offline = await openPage(profile, run, server.address);
      expect(await isIsolated(offline)).toBe(true);
      await trainWithHelper(offline);
      expect(loads).toHaveLength(3);
    } finally {
      await server.close().catch(() => undefined);
    }
  });
});

describe('a page on a host without headers', () => {
  /** Opens the page with a service worker that waits for `keep`. */
  async function openedUnkept(init = '') {
    const server = await servePlainly(inject('folder'));
    const profile = await newProfile({ serviceWorkers: 'allow' });
    await profile.addInitScript(`${init};
      const { register } = ServiceWorkerContainer.prototype;
      ServiceWorkerContainer.prototype.register = async function (address) {
        await new Promise((resolve) => addEventListener('may-register', resolve, { once: true }));
        return register.call(this, address);
      };`);
    const { page, loads } = await opened(profile, server.address);
    await startButton(page).waitFor();
    const keep = async (): Promise<void> => {
      await page.evaluate(() => void dispatchEvent(new Event('may-register')));
      await isKept(page).catch(() => undefined); // it reloads
      await page.waitForTimeout(1000); // time for a reload, which must not happen
    };
    return { page, loads, keep, server };
  }

  const uses: [string, (page: Page) => Promise<void>][] = [
    ['a press', (page) => page.getByRole('heading').first().click()],
    ['a key', (page) => page.keyboard.press('Tab')],
    ['a change of a field', (page) => page.getByLabel('Paid for', { exact: true }).dispatchEvent('input')],
    ['a dropped file', (page) => page.locator('body').dispatchEvent('drop')],
  ];

  it('is not reloaded after any use', { tags: ['long'] }, async () => {
    await Promise.all(
      uses.map(async ([name, use]) => {
        const { page, loads, keep, server } = await openedUnkept();
        await use(page);
        await keep();
        expect(loads, name).toHaveLength(1);
        expect(await isIsolated(page), name).toBe(false);
        await server.close();
      }),
    );
  });

  it('is reloaded at most once, and never if nothing records it', { tags: ['long'] }, async () => {
    const never = "Object.defineProperty(globalThis, 'crossOriginIsolated', { value: false })";
    const refused =
      "Object.defineProperty(globalThis, 'sessionStorage', { get: () => { throw new Error(); } })";
    const reloads = async (init: string): Promise<number> => {
      const { loads, keep, server } = await openedUnkept(init);
      await keep();
      await keep();
      await server.close();
      return loads.length - 1;
    };
    expect(await Promise.all([reloads(never), reloads(refused)])).toEqual([1, 0]);
  });
});
