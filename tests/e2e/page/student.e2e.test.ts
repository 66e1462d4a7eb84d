import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { place, shortRun, startButton, visit } from '../helpers/visitor';

const region = (page: Page, name: string) => page.getByRole('region', { name, exact: true });

const desk = { width: 1280, height: 900 };
const phone = { width: 390, height: 844 };

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

it('a recorded run labels each chart with its step, works out an advantage, and explains its ending', async () => {
  const page = await visit('#v=1&preset=ladder-12k', { viewport: desk });
  const slider = page.getByRole('slider', { name: 'Step' });
  const charts = ['Reward', 'Thinking', 'True statements', 'Accuracy'];
  const said = () =>
    Promise.all(
      charts.map((name) => page.getByRole('figure', { name, exact: true }).locator('.at').innerText()),
    );
  await slider.fill('0');
  await expect.poll(said).toEqual(charts.map(() => 'step 0'));
  await slider.fill('35');
  // Only evaluations give accuracy.
  await expect.poll(said).toEqual(['step 35', 'step 35', 'step 35', expect.stringMatching(/^step 3[0-4]$/)]);
  await slider.fill('60');

  const update = page.getByRole('tabpanel');
  await page.getByRole('tab', { name: 'What the update did' }).click();
  await update.getByRole('heading', { name: 'What this update did (step 60)' }).waitFor();
  const status = update.getByRole('status');
  await status.getByText(/ earned 3; .+ so it was pushed up\.$/).waitFor();
  await update
    .locator('.strip')
    .first()
    .click({ position: { x: 1, y: 60 } });
  await status.getByText(/ earned −3; .+ so it was pushed down\.$/).waitFor();
  await slider.fill('0');
  await update.getByRole('heading', { name: 'What this update did (step 1)' }).waitFor();

  await page.setViewportSize(phone);
  const verdict = region(page, 'Verdict');
  await verdict.getByRole('button', { name: 'Skip' }).click();
  await verdict.getByText('It stops thinking.').waitFor();
  expect(await page.getByRole('main').getByText('It stops thinking').count()).toBe(1);
  await page.getByRole('tab', { name: 'Curves and answers' }).click();
  // One set of curves.
  const curves = page.getByRole('figure', { name: /^(Reward|Thinking|Accuracy)$/ });
  await expect.poll(() => curves.count()).toBe(3);
  await page.getByRole('tab', { name: 'What the update did' }).click();
  await update.getByRole('heading', { name: 'What this update did (step 1)' }).waitFor();
  await verdict.getByRole('button', { name: 'Why?' }).click();
  const panel = region(page, 'The same question, first and now');
  await panel.getByText(/; a hard one that shows the ending\.$/).waitFor();
  await panel.getByRole('button', { name: 'Next question' }).click();
  await panel.getByText('2 of 8').waitFor();
  // Both answers are visible next to the events.
  const heads = panel.locator('.story thead .told');
  expect(await heads.allInnerTexts()).toEqual(['step 0', 'step 60']);
  const { right } = await heads.last().evaluate((element) => element.getBoundingClientRect());
  expect(right).toBeLessThanOrEqual(390);
});
