import type { Page } from 'playwright-core';
import { expect, inject, it } from 'vitest';
import {
  beforeWorker,
  finish,
  newProfile,
  openBrowserForAll,
  openPage,
  saved,
  savedRows,
  shortRun,
  startButton,
  startRun,
  visit,
} from '../helpers/visitor';

openBrowserForAll();

it('full storage ends no training, and the run is saved as a file', { tags: ['long'] }, async () => {
  const page = await visit(shortRun());
  const devtools = await page.context().newCDPSession(page);
  // Enough for the first checkpoint of 25 thousand parameters with their moments, but not for the second.
  await devtools.send('Storage.overrideQuotaForOrigin', {
    origin: new URL(inject('address')).origin,
    quotaSize: 600_000,
  });
  await startRun(page);
  const notice = page.locator('.notice');
  await notice.getByText('This browser’s storage is full.').waitFor();
  await finish(page);
  const file = await saved(page, notice.getByRole('button', { name: 'Save the run as a file' }));
  const second = await visit();
  await second.getByLabel('Open a run from a file').setInputFiles(file);
  await finish(second);
  expect(await savedRows(second)).toHaveLength(11);
});

const screenNamed = (page: Page, name: string) =>
  page.getByRole('alert').getByRole('heading', { name }).waitFor();

it('forbidden storage, as in a private window, has a screen, and training continues', async () => {
  const profile = await newProfile();
  await beforeWorker(
    profile,
    'IDBFactory.prototype.open = () => { throw new DOMException("forbidden", "SecurityError"); }',
  );
  const page = await openPage(profile, shortRun({ steps: 2 }));
  await screenNamed(page, 'This browser keeps nothing here');
  await page.getByRole('alert').getByRole('button', { name: 'Back to the page' }).click();
  await startRun(page);
  await page.locator('.notice').getByText('This browser keeps nothing here.').waitFor();
  await page
    .locator('.run-status')
    .getByText(/^Finished/)
    .waitFor();
});

it('data of a newer version has a screen', { tags: ['long'] }, async () => {
  const page = await visit();
  await startButton(page).waitFor();
  // The worker holds the database open, which would block an upgrade.
  await page.goto(`${inject('address')}licenses.md`);
  await page.evaluate(
    () =>
      new Promise<void>((resolve, reject) => {
        const wish = indexedDB.open('marble', 99);
        wish.onsuccess = () => {
          wish.result.close();
          resolve();
        };
        wish.onerror = () => reject(wish.error!);
      }),
  );
  await page.goto(inject('address'));
  await screenNamed(page, 'This was kept by a newer Marble');
});
