import type { Page } from 'playwright-core';
import { describe, expect, inject, it } from 'vitest';
import {
  beforeWorker,
  longRun,
  newProfile,
  openBrowserForAll,
  openPage,
  shortRun,
  startButton,
  startRun,
  visit,
} from '../helpers/visitor';

openBrowserForAll();

const screenNamed = (page: Page, name: string) =>
  page.getByRole('alert').getByRole('heading', { name }).waitFor();

describe('a screen, not a toast, says what happened and what to do', () => {
  it('where the storage is forbidden, as in a private window; training goes on', async () => {
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

  it('where what is kept is from a newer version', async () => {
    const page = await visit();
    await startButton(page).waitFor();
    // The worker holds the store open, and another version waits for it.
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

  // that the run goes on with the same rows: life/gpu-losses.e2e.test.ts; after three losses: tests/app/session/session.test.ts
  it('where the GPU is taken away, which is opened again', async () => {
    const profile = await newProfile();
    await beforeWorker(
      profile,
      `const request = GPUAdapter.prototype.requestDevice;
         GPUAdapter.prototype.requestDevice = async function (wish) {
           const device = await request.call(this, wish);
           console.debug('a device is open');
           const submit = device.queue.submit.bind(device.queue);
           let left = 40;
           device.queue.submit = (buffers) => {
             submit(buffers);
             if (--left === 0) device.destroy();
           };
           return device;
         }`,
    );
    const page = await openPage(profile, shortRun({ steps: 400 }));
    let opened = 0;
    page.on('console', (message) => {
      if (message.text() === 'a device is open') opened += 1;
    });
    page.setDefaultTimeout(200_000); // kernels are compiled first
    await startRun(page, 'webgpu');
    await page.locator('.notice').getByText('The GPU was taken away.').waitFor();
    await expect.poll(() => opened, { timeout: 60_000 }).toBeGreaterThanOrEqual(2);
  });
});

it('the keyboard’s place goes from a pressed button to the one that takes its place', async () => {
  const page = await visit(longRun());
  await page.getByLabel('Runs on').selectOption('wasm');
  const focused = (): Promise<string> =>
    page.evaluate(() => document.activeElement?.textContent.trim() ?? '');
  await startButton(page).focus();
  await page.keyboard.press('Enter');
  await expect.poll(focused, { timeout: 30_000 }).toBe('Pause');
  await page.keyboard.press('Enter');
  await expect.poll(focused, { timeout: 30_000 }).toBe('Resume');
  await page.keyboard.press('Enter');
  await expect.poll(focused, { timeout: 30_000 }).toBe('Pause');
});
