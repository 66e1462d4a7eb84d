import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import {
  browser,
  finish,
  largeSteps,
  longRun,
  openBrowserForAll,
  openPage,
  reachStep,
  savedRows,
  shortRun,
  startButton,
  startRun,
  status,
} from './visitor';

openBrowserForAll();

/** The link that the page offers for copying. */
async function copiedLink(page: Page): Promise<string> {
  await page.getByRole('button', { name: 'Copy link' }).click();
  await page.locator('.copy-link').getByText('Copied').waitFor();
  return page.evaluate(() => navigator.clipboard.readText());
}

describe('a run in the page', () => {
  it('opens a link without starting anything', async () => {
    const profile = await browser.newContext();
    const page = await openPage(profile, shortRun({ seed: 12 }));
    await page.getByText('10 steps, 8 completions each').waitFor();
    await page.waitForTimeout(1500);
    expect(await startButton(page).isVisible()).toBe(true);
    expect(await page.locator('.run-panel').count()).toBe(0);
    await page.locator('.settings > summary').click();
    expect(await page.getByLabel('Seed', { exact: true }).inputValue()).toBe('12');
    await profile.close();
  });

  it('shows what a link sets beside the form, and puts it back', async () => {
    const profile = await browser.newContext();
    const page = await openPage(profile, shortRun({ 'algorithm.kl.place': 'loss' }));
    await page.locator('.settings > summary').click();
    const beside = page.locator('.settings .explain');
    await beside.getByText('algorithm.kl.place loss').waitFor();
    await beside.getByRole('button', { name: 'As in the preset' }).click();
    await beside.waitFor({ state: 'detached' });
    expect(await page.getByLabel('Steps').inputValue()).toBe('10');
    await profile.close();
  });

  it('says that early stopping ended it, and offers no resume', async () => {
    const profile = await browser.newContext();
    // Without a learning rate no evaluation is better than the first.
    const page = await openPage(
      profile,
      shortRun({ 'evaluation.every': 2, 'evaluation.patience': 1, 'optimizer.learningRate': 0 }),
    );
    await startRun(page);
    await finish(page);
    await status(page).getByText('Finished early, at step 2 of 10').waitFor();
    expect(await page.getByRole('button', { name: /Resume|Go on/ }).count()).toBe(0);
    await profile.close();
  });

  it('goes on after pause and reload, and gives the rows of a run that was never interrupted', async () => {
    const profile = await browser.newContext({ permissions: ['clipboard-read', 'clipboard-write'] });
    const page = await openPage(profile, shortRun({ steps: 20, ...largeSteps }));
    const link = await copiedLink(page);
    await startRun(page);
    await reachStep(page, 3);
    await page.getByRole('button', { name: 'Pause' }).click();
    await status(page).getByText('Paused after step').waitFor();
    const paused = await status(page).innerText();
    const step = /step (\d+) of 20/.exec(paused)![1];

    await page.reload();
    const goOn = page.getByRole('button', { name: `from step ${step}` }).first();
    await goOn.waitFor();
    expect(await page.locator('.run-panel').count()).toBe(0);
    await goOn.click();
    await finish(page);
    const rows = await savedRows(page);
    expect(rows.map((row) => row.step)).toEqual(Array.from({ length: 21 }, (_, index) => String(index)));
    await profile.close();

    const other = await browser.newContext();
    const second = await openPage(other, link.slice(link.indexOf('#')));
    await startRun(second);
    await finish(second);
    expect(await savedRows(second)).toEqual(rows);
    await other.close();
  });

  it('takes single steps while it is paused', async () => {
    const profile = await browser.newContext();
    const page = await openPage(profile, longRun());
    await startRun(page);
    await reachStep(page, 1);
    await page.getByRole('button', { name: 'Pause' }).click();
    const paused = status(page).getByText('Paused after step');
    await paused.waitFor();
    const before = Number(/step (\d+)/.exec(await status(page).innerText())![1]);
    await page.getByRole('button', { name: 'Step', exact: true }).click();
    await status(page)
      .getByText(`Paused after step ${before + 1}`)
      .waitFor();
    await page.getByRole('button', { name: 'Stop' }).click();
    await page.getByRole('button', { name: `Resume from step ${before + 1}` }).waitFor();
    await profile.close();
  });

  it('loses nothing but the steps since the last checkpoint when its tab is closed', async () => {
    const profile = await browser.newContext();
    const page = await openPage(profile, longRun());
    await startRun(page);
    await reachStep(page, 5);
    await page.close();

    const again = await openPage(profile);
    const goOn = again.getByRole('button', { name: /^Go on with .* from step \d+$/ });
    await goOn.waitFor();
    const step = Number(/from step (\d+)/.exec(await goOn.innerText())![1]);
    expect(step).toBeGreaterThanOrEqual(4);
    await goOn.click();
    await reachStep(again, step + 1);
    await profile.close();
  });

  it('trains in one tab and lets the other watch', async () => {
    const profile = await browser.newContext();
    const page = await openPage(profile, longRun());
    await startRun(page);
    await reachStep(page, 1);

    const watcher = await openPage(profile);
    await watcher.getByRole('heading', { name: 'Another tab is training' }).waitFor();
    await status(watcher)
      .getByText(/^Step \d+ of 10/)
      .waitFor();
    expect(await startButton(watcher).count()).toBe(0);

    await page.getByRole('button', { name: 'Stop' }).click();
    await page.getByRole('button', { name: /Resume from step/ }).waitFor();
    await watcher.getByRole('heading', { name: 'Another tab is training' }).waitFor({ state: 'detached' });
    await profile.close();
  });

  it('lays runs over each other, keeps notes, and deletes for good', async () => {
    const profile = await browser.newContext();
    const page = await openPage(profile, shortRun({ steps: 2 }));
    await startRun(page);
    await finish(page);
    await page.getByRole('button', { name: 'Run again' }).click();
    await page.locator('.runs li').nth(1).waitFor();
    await finish(page);
    for (const row of await page.locator('.runs li').all()) await row.getByRole('checkbox').check();
    await page.getByLabel('Mean of each arm').uncheck();
    await page
      .locator('.chart')
      .first()
      .getByRole('button', { name: 'micro-collapse, seed 3' })
      .first()
      .waitFor();

    const note = page.locator('.runs .note').first();
    await note.fill('the second one');
    await note.press('Tab');
    await page.reload();
    await expect.poll(() => page.locator('.runs .note').first().inputValue()).toBe('the second one');

    await page.locator('.runs li').first().getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('button', { name: 'Delete for good' }).click();
    await expect.poll(() => page.locator('.runs li').count()).toBe(1);
    await profile.close();
  });
});
