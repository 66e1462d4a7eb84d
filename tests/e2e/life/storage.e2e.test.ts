import { describe, expect, inject, it } from 'vitest';
import {
  browser,
  finish,
  openBrowserForAll,
  openPage,
  savedRows,
  shortRun,
  startRun,
} from '../helpers/visitor';

openBrowserForAll();

describe('storage', () => {
  it('that is full ends no training, and the run is taken as a file that another browser opens', async () => {
    const profile = await browser.newContext();
    const page = await openPage(profile, shortRun());
    const devtools = await profile.newCDPSession(page);
    // Enough for the first checkpoint of 25 thousand parameters with their moments, and not for the second.
    await devtools.send('Storage.overrideQuotaForOrigin', {
      origin: new URL(inject('address')).origin,
      quotaSize: 600_000,
    });
    await startRun(page);
    const notice = page.locator('.notice');
    await notice.getByText('This browser’s storage is full.').waitFor();
    await finish(page);
    const download = page.waitForEvent('download');
    await notice.getByRole('button', { name: 'Save the run as a file' }).click();
    const file = await (await download).path();
    const other = await browser.newContext();
    const second = await openPage(other);
    await second.getByLabel('Open a run from a file').setInputFiles(file);
    await finish(second);
    expect(await savedRows(second)).toHaveLength(11);
    await profile.close();
    await other.close();
  });

  it('with nonsense in it is listed in its places, and what is there can be deleted', async () => {
    const profile = await browser.newContext();
    const page = await openPage(profile);
    // Who comes before the page makes a database without its stores.
    await page.waitForFunction(async () => (await indexedDB.databases()).length > 0);
    await page.evaluate(async () => {
      const opening = indexedDB.open('marble');
      const done = (request: IDBRequest): Promise<unknown> =>
        new Promise((resolve) => (request.onsuccess = resolve));
      await done(opening);
      const store = opening.result.transaction('marble', 'readwrite').objectStore('marble');
      const nonsense = { createdAt: 9e15, config: null, base: null, axes: 3, orders: 'x', machine: { backend: null } }; // prettier-ignore
      store.put(null, ['run', 'deadbeef-1']);
      store.put(nonsense, ['run', 'deadbeef-2']);
      store.put(nonsense, ['sweep', 'deadbeef-3']);
      await done(store.put(nonsense, ['dataset', 'deadbeef-4']));
      opening.result.close();
    });
    await page.reload();
    const empty = async (count: number): Promise<void> => {
      const rows = page.locator('ul.runs > li').filter({ hasText: 'deadbeef' });
      for (let left = count; left > 0; left -= 1) {
        await rows
          .nth(left - 1)
          .getByText('cannot be shown')
          .waitFor();
        await rows
          .nth(left - 1)
          .getByRole('button', { name: 'Delete' })
          .click();
        await rows
          .nth(left - 1)
          .getByRole('button', { name: 'Delete for good' })
          .click();
        await rows.nth(left - 1).waitFor({ state: 'detached' });
      }
    };
    await page.getByRole('heading', { name: 'Runs kept in this browser' }).waitFor();
    await empty(2);
    await page.getByRole('button', { name: 'Sweeps' }).click();
    await empty(1);
    await page.getByRole('button', { name: 'Data', exact: true }).click();
    await empty(1);
    await profile.close();
  });
});
