/** The browser forbids the page its storage, or the quota is exhausted while a visitor works. */
import type { BrowserContext, Page } from 'playwright-core';
import { expect, inject, it } from 'vitest';
import { hubProfile, onHub, startToyHub } from '../helpers/hub-profile';
import { readStored } from '../helpers/stored-run';
import {
  beforeWorker,
  finish,
  keptRuns,
  newProfile,
  openPage,
  shortRun,
  startRun,
  status,
} from '../helpers/visitor';

const origin = (): string => new URL(inject('address')).origin;

interface Quota {
  /** Fills the origin, and leaves less than no room: a database of runs is compacted at any time. */
  fill: () => Promise<void>;
  lift: () => Promise<void>;
}

/**
 * A quota that is in force before the page opens its database: the browser remembers for half a minute how much room it
 * gave a database.
 */
async function quotaFor(profile: BrowserContext): Promise<Quota> {
  const tab = await profile.newPage();
  const devtools = await profile.newCDPSession(tab);
  const limit = (quotaSize?: number) =>
    devtools.send('Storage.overrideQuotaForOrigin', { origin: origin(), quotaSize });
  await limit(4e6);
  await tab.goto(`${inject('address')}licenses.md`);
  return {
    async fill() {
      await tab.evaluate(async () => {
        const opened = indexedDB.open('ballast');
        opened.onupgradeneeded = () => opened.result.createObjectStore('ballast', { autoIncrement: true });
        await new Promise((resolve) => (opened.onsuccess = resolve));
        const isStored = (size: number): Promise<boolean> => {
          const transaction = opened.result.transaction('ballast', 'readwrite');
          transaction.objectStore('ballast').put(new Uint8Array(size).map(() => Math.random() * 256));
          return new Promise((resolve) => {
            transaction.oncomplete = () => resolve(true);
            transaction.onabort = () => resolve(false);
          });
        };
        for (let size = 2 ** 20; size >= 2 ** 9; size /= 2) while (await isStored(size));
        opened.result.close();
      });
      // The ballast is compacted after its last transaction.
      for (let usage = -1, before = -2; usage !== before;) {
        before = usage;
        await tab.waitForTimeout(700);
        ({ usage } = await devtools.send('Storage.getUsageAndQuota', { origin: origin() }));
        await limit(usage - 1e6);
      }
    },
    lift: async () => {
      await limit();
    },
  };
}

/** Every record of the page's database, as text by its key. */
function recordsOf(page: Page): Promise<Record<string, string>> {
  return page.evaluate(async () => {
    const opened = indexedDB.open('marble');
    await new Promise((resolve) => (opened.onsuccess = resolve));
    const store = opened.result.transaction('marble').objectStore('marble');
    const [keys, values] = [store.getAllKeys(), store.getAll()];
    await new Promise((resolve) => (values.onsuccess = resolve));
    opened.result.close();
    const plain = (_: string, value: unknown): unknown =>
      ArrayBuffer.isView(value) ? Array.from(value as Uint8Array) : value;
    return Object.fromEntries(
      keys.result.map((key, index) => [JSON.stringify(key), JSON.stringify(values.result[index], plain)]),
    );
  });
}

const notice = (page: Page) => page.locator('.notice');
const fullNotice = (page: Page) =>
  notice(page).getByText('The browser has no room left for this page.', { exact: true });
const remedy = 'Delete old runs, data sets or downloaded models.';

/** Number of completed steps of the run that trains. */
async function stepsOf(page: Page): Promise<number> {
  const words = await page.locator('.run-panel').innerText();
  return Number(/Step ([\d,]+) of/.exec(words)?.[1].replace(',', '') ?? 0);
}
const trainTo = (page: Page, least: number) =>
  expect.poll(() => stepsOf(page), { timeout: 100_000 }).toBeGreaterThanOrEqual(least);

/** Trains a short run to its end, and opens the page anew for the next one. */
async function withStoredRun(profile: BrowserContext, next: string): Promise<Page> {
  const page = await openPage(profile, shortRun({ steps: 2 }));
  await startRun(page);
  await finish(page);
  await page.goto('about:blank');
  await page.goto(inject('address') + next);
  return page;
}

/** A run that trains until it is stopped. */
const endless = (settings: Record<string, string | number> = {}) =>
  shortRun({ steps: 9999, 'evaluation.every': 9999, ...settings });

it('a model that does not fit is used without being kept', { tags: ['long'] }, async () => {
  const hub = await startToyHub();
  try {
    const profile = await hubProfile(hub);
    const { fill } = await quotaFor(profile);
    const page = await withStoredRun(profile, endless(onHub(hub)));
    const before = await recordsOf(page);
    const download = page.getByRole('heading', { name: 'This run needs a download of' });
    const agree = page.locator('.screen').getByRole('button', { name: /and train$/ });
    await startRun(page);
    await page.getByRole('button', { name: /^Contact / }).click();
    await download.waitFor();
    await fill();
    await agree.click();
    const refusal = notice(page).filter({ hasText: 'The run uses the model all the same' });
    await refusal.waitFor();
    expect(await refusal.innerText()).toContain(remedy);
    await trainTo(page, 4);
    await fullNotice(page).waitFor(); // the run does not fit either
    expect(await page.locator('progress[aria-label="Download"]').count()).toBe(0);
    expect(await recordsOf(page)).toMatchObject(before);
  } finally {
    await hub.close();
  }
});

it.for(['begins', 'trains'])(
  'a run that %s in a full storage trains on, and is stored whole once there is room',
  { tags: ['long'] },
  async (when) => {
    const profile = await newProfile();
    const { fill, lift } = await quotaFor(profile);
    const page = await withStoredRun(profile, endless());
    const before = await recordsOf(page);
    if (when === 'begins') await fill();
    await startRun(page);
    await trainTo(page, 2);
    if (when === 'trains') await fill();
    await fullNotice(page).waitFor();
    expect(await notice(page).innerText()).toContain(remedy);
    const full = await stepsOf(page);
    await trainTo(page, full + 5);
    expect(await recordsOf(page)).toMatchObject(before);

    await lift();
    await fullNotice(page).waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Stop' }).click();
    await page.getByRole('button', { name: /^Resume from step/ }).waitFor();
    await page.reload();
    await keptRuns(page);
    const runs = await readStored(page);
    expect(runs).toHaveLength(2);
    const steps = runs[1].rows.map(({ step }) => step);
    expect(steps).toEqual(steps.map((_, index) => index + 1));
    expect(runs[1].checkpointStep).toBe(steps.length);
    expect(steps.length).toBeGreaterThan(full);
  },
);

it('forbidden storage, as in a private window, has a screen, and training continues', async () => {
  const profile = await newProfile();
  await beforeWorker(
    profile,
    'IDBFactory.prototype.open = () => { throw new DOMException("forbidden", "SecurityError"); }',
  );
  const page = await openPage(profile, shortRun({ steps: 2 }));
  const screen = page.getByRole('alert');
  await screen.getByRole('heading', { name: 'storage failed: forbidden' }).waitFor();
  await screen.getByRole('button', { name: 'Back to the page' }).click();
  await startRun(page);
  await notice(page).getByText('storage failed: forbidden').waitFor();
  await status(page)
    .getByText(/^Finished/)
    .waitFor();
});
