import type { Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { violations } from '../helpers/accessibility';
import {
  browser,
  openBrowserForAll,
  openPage,
  place,
  runToEnd,
  shortRun,
  startButton,
  visit,
} from '../helpers/visitor';

openBrowserForAll();

const region = (page: Page, name: string) => page.getByRole('region', { name, exact: true });

const desk = { width: 1280, height: 900 };
const phone = { width: 390, height: 844 };
/** A run with a verdict. */
const swapRun = shortRun({ preset: 'swap-shortcut', steps: 4, 'evaluation.every': 2 });

it('the form on a phone names the experiment, and shows the train button without scrolling', async () => {
  const page = await visit('#run', {
    viewport: phone,
    isMobile: true,
    userAgent:
      'Mozilla/5.0 (Linux; Android 14; Pixel 8) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Mobile Safari/537.36',
  });
  const button = startButton(page);
  await button.waitFor();
  const { y, height } = (await button.boundingBox())!;
  expect(y + height).toBeLessThan(844);
  await page.getByText('The ladder: the middle model').first().waitFor();
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(390);
});

it('a model with the longest name does not make any screen wider than a phone', async () => {
  const repository = `${'x'.repeat(96)}/${'x'.repeat(96)}`;
  const model = { 'model.repository': repository, 'model.revision': 'a'.repeat(40) };
  const link = shortRun({ preset: 'first-run-135m', 'model.kind': 'hub', ...model });
  const page = await visit(link, { viewport: phone });
  await page.getByText(repository).first().waitFor();
  for (const name of ['Train', 'Data', 'Sweeps', 'Class']) {
    await place(page, name).click();
    await expect
      .poll(() => page.evaluate(() => document.documentElement.scrollWidth), { message: name })
      .toBe(390);
  }
});

describe('a recorded run in full', () => {
  let page: Page;
  beforeAll(async () => {
    const profile = await browser.newContext({ viewport: desk });
    page = await openPage(profile, '#v=1&preset=ladder-12k');
  });
  afterAll(() => page.context().close());

  it('labels each chart with the step of its values', async () => {
    const charts = ['Reward', 'Thinking', 'True statements', 'Accuracy'];
    const said = () =>
      Promise.all(
        charts.map((name) => page.getByRole('figure', { name, exact: true }).locator('.at').innerText()),
      );
    await page.getByRole('slider', { name: 'Step' }).fill('0');
    await expect.poll(said).toEqual(charts.map(() => 'step 0'));
    await page.getByRole('slider', { name: 'Step' }).fill('35');
    // Only evaluations give accuracy.
    await expect
      .poll(said)
      .toEqual(['step 35', 'step 35', 'step 35', expect.stringMatching(/^step 3[0-4]$/)]);
    await page.reload();
  });

  it('opens the update of the last step, and works out an advantage', async () => {
    const update = page.getByRole('tabpanel');
    const tab = page.getByRole('tab', { name: 'What the update did' });
    await tab.click();
    await update.getByRole('heading', { name: 'What this update did (step 60)' }).waitFor();
    const status = update.getByRole('status');
    await status.getByText(/ earned 3; .+ so it was pushed up\.$/).waitFor();
    await update
      .locator('.strip svg')
      .first()
      .click({ position: { x: 1, y: 30 } });
    await status.getByText(/ earned −3; .+ so it was pushed down\.$/).waitFor();
    await page.getByRole('slider', { name: 'Step' }).fill('0');
    await update.getByRole('heading', { name: 'What this update did (step 1)' }).waitFor();
  });

  it('explains its ending by questions, with both answers next to the events on a phone', async () => {
    await page.setViewportSize(phone);
    const verdict = region(page, 'Verdict');
    await verdict.getByRole('button', { name: 'Skip' }).click();
    await verdict.getByRole('button', { name: 'Why?' }).click();
    const panel = region(page, 'The same question, first and now');
    await panel.getByText(/; the first hard one that shows the ending\.$/).waitFor();
    await panel.getByRole('button', { name: 'Next question' }).click();
    await panel.getByText('2 of 8').waitFor();
    const heads = panel.locator('.story thead .told');
    expect(await heads.allInnerTexts()).toEqual(['step 0', 'step 60']);
    const { right } = await heads.last().evaluate((element) => element.getBoundingClientRect());
    expect(right).toBeLessThanOrEqual(390);
  });
});

describe('a run of one’s own', () => {
  it('fits a phone, and can be trained again with other settings', { tags: ['long'] }, async () => {
    const page = await visit(swapRun, { viewport: desk });
    const topOf = async (part: Locator) => (await part.boundingBox())!.y;
    const footOf = async (part: Locator) => {
      const { y, height } = (await part.boundingBox())!;
      return y + height;
    };
    await runToEnd(page);
    await region(page, 'Verdict').waitFor();
    expect(await page.evaluate(() => document.documentElement.scrollHeight)).toBeLessThanOrEqual(2100);
    expect(await footOf(page.locator('.tabs'))).toBeLessThan(800);

    await page.setViewportSize(phone);
    const slider = page.getByRole('group', { name: 'Step that the page shows' }).getByRole('slider');
    await expect.poll(async () => (await slider.boundingBox())!.width).toBeGreaterThanOrEqual(160);
    expect(await slider.getAttribute('max')).toBe('4');
    // The verdict and the length come first, and nothing scrolls sideways.
    const tops = [region(page, 'Verdict'), page.locator('.run-curves')].map(topOf);
    expect(await Promise.all(tops)).toEqual([...(await Promise.all(tops))].sort((a, b) => a - b));
    expect(await topOf(slider)).toBeGreaterThanOrEqual(await footOf(region(page, 'Verdict'))); // not covered
    await page.getByRole('tab', { name: 'Sample by sample' }).click();
    const samples = page.getByRole('region', { name: 'Samples of this prompt' });
    await samples.getByRole('row').nth(1).waitFor();
    expect(await samples.evaluate((element) => element.scrollWidth - element.clientWidth)).toBe(0);
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(390);
    expect(await violations(page)).toEqual([]);

    await page.setViewportSize(desk);
    const steps = page.getByLabel('Steps', { exact: true });
    await steps.fill('3');
    await steps.press('Tab');
    await startButton(page).click();
    await page.locator('.run-status').getByText('Finished: 3 steps').waitFor();
    expect(await violations(page)).toEqual([]);
  });
});
