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

  it('begins with a question whose answer changed, keeps it along the slider, and labels each chart with its step', async () => {
    const panel = region(page, 'The same question, first and now');
    const changed = panel.getByText(/^It was (right and has become wrong|wrong and has become right)\.$/);
    await changed.waitFor();
    await panel.getByRole('button', { name: 'Next question' }).click();
    await panel.getByText('2 of 8').waitFor();
    const question = await panel.locator('.as-told').innerText();
    const answers = () => panel.locator('.story thead .told').allInnerTexts();
    const charts = ['Reward', 'Thinking', 'True statements', 'Accuracy'];
    const chartsSay = async (...places: string[]) => {
      const said = charts.map((name) =>
        page.getByRole('figure', { name, exact: true }).locator('.at').innerText(),
      );
      expect(await Promise.all(said)).toEqual(charts.map((_, i) => places[i] ?? places[0]));
    };
    await page.getByRole('slider', { name: 'Step' }).fill('0');
    await expect.poll(answers).toEqual(['step 0, first', 'step 60, latest']);
    await chartsSay('step 0');
    await page.getByRole('slider', { name: 'Step' }).fill('35');
    await expect.poll(async () => (await answers())[1]).toMatch(/^step 3\d$/);
    const [, beside] = await answers();
    expect(await panel.locator('.as-told').innerText()).toBe(question);
    // only evaluations give accuracy
    await chartsSay('step 35', 'step 35', 'step 35', beside);
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
    const tops = [
      region(page, 'Verdict'),
      page.locator('.run-curves'),
      region(page, 'The same question, first and now'),
    ].map(topOf);
    expect(await Promise.all(tops)).toEqual([...(await Promise.all(tops))].sort((a, b) => a - b));
    expect(await topOf(slider)).toBeGreaterThanOrEqual(await footOf(region(page, 'Verdict'))); // not covered
    // Both answers are visible next to the events.
    const picture = region(page, 'The story as a picture');
    const [room, needed] = await picture.evaluate((element) => [
      element.clientWidth,
      element.querySelector('thead .told:last-child')!.getBoundingClientRect().right -
        element.getBoundingClientRect().left,
    ]);
    expect(needed).toBeLessThanOrEqual(room);
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
