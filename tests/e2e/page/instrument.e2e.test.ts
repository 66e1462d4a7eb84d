import type { Locator, Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { violations } from '../helpers/accessibility';
import {
  copiedLink,
  finish,
  longRun,
  reachStep,
  runToEnd,
  shortRun,
  startButton,
  startRun,
  visit,
  wordsInSight,
} from '../helpers/visitor';

const swapRun = shortRun({ preset: 'swap-shortcut', steps: 4, 'evaluation.every': 2 });
const tab = (page: Page, name: string) => page.getByRole('tab', { name });

it('a link with a fingerprint shows its plan, then if the run is equal', { tags: ['long'] }, async () => {
  const sender = await visit(swapRun);
  await runToEnd(sender);
  const { hash } = new URL(await copiedLink(sender));
  await sender.getByRole('navigation').getByRole('button', { name: 'Data' }).click();
  await expect.poll(() => sender.locator('.copy-link [role=status]').innerText()).toBe('');
  expect(hash).toContain('&fingerprint=4.');
  expect(hash).toContain('&backend=wasm');

  const page = await visit(hash);
  const sent = page.getByRole('region', { name: 'You were sent' });
  await sent.waitFor();
  const words = await sent.innerText();
  expect(words).toMatch(/Its thinking stops mattering[^]*seed\s+3/);
  expect(words).toMatch(/Changed: [^]*\bsteps 4\b/);
  expect(words).toContain('25,184 weights');
  expect(words).toContain('fingerprint of the sender’s 4 steps');
  expect(await page.locator('.run-panel').count()).toBe(0);
  expect(await violations(page)).toEqual([]);
  await startButton(page).click();
  await finish(page);
  await page.getByText('Identical to the sender’s run: all 4 steps').waitFor();
});

it('the tabs of a run show each sample, also on a phone, and the model answers the visitor’s questions', async () => {
  const page = await visit(swapRun, { viewport: { width: 1280, height: 900 } });
  const footOf = async (part: Locator) => {
    const { y, height } = (await part.boundingBox())!;
    return y + height;
  };
  await runToEnd(page);
  const verdict = page.getByRole('region', { name: 'Verdict' });
  await verdict.waitFor();
  expect(await page.evaluate(() => document.documentElement.scrollHeight)).toBeLessThanOrEqual(2100);
  expect(await footOf(page.locator('.tabs'))).toBeLessThan(800);

  // The verdict and the slider come first, and nothing scrolls sideways.
  await page.setViewportSize({ width: 390, height: 844 });
  const slider = page.getByRole('group', { name: 'Step that the page shows' }).getByRole('slider');
  await expect.poll(async () => (await slider.boundingBox())!.width).toBeGreaterThanOrEqual(160);
  expect(await slider.getAttribute('max')).toBe('4');
  const { y } = (await slider.boundingBox())!;
  expect(y).toBeGreaterThanOrEqual(await footOf(verdict)); // not covered
  expect(y).toBeLessThan((await page.locator('.run-curves').boundingBox())!.y);
  await tab(page, 'Sample by sample').click();
  const samples = page.getByRole('region', { name: 'Samples of this prompt' });
  await samples.getByRole('row').nth(1).waitFor();
  expect(await samples.evaluate((element) => element.scrollWidth - element.clientWidth)).toBe(0);
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(390);
  expect(await violations(page)).toEqual([]);
  const advantages = await samples.locator('tbody td:last-child').allInnerTexts();
  expect(advantages).toHaveLength(4);
  expect(advantages.every((words) => /[+−]?\d/.test(words))).toBe(true);

  await page.setViewportSize({ width: 1280, height: 900 });
  await samples.getByRole('button').first().click();
  await page.getByRole('heading', { name: 'Sample 1' }).waitFor();
  expect(await violations(page)).toEqual([]);

  // The next tab, by keyboard.
  await tab(page, 'Sample by sample').focus();
  await page.keyboard.press('ArrowRight');
  expect(await tab(page, 'Ask it yourself').getAttribute('aria-selected')).toBe('true');
  await slider.waitFor({ state: 'detached' }); // this tab has no step
  const another = page.getByRole('button', { name: 'Another story' });
  await another.waitFor();
  await page.getByRole('button', { name: 'Ask', exact: true }).click();
  for (const when of ['Before training', 'After 4 steps'])
    await page.getByRole('heading', { name: `${when}: its likeliest answer` }).waitFor();
  const top = async () => (await page.locator('.answers').boundingBox())!.y;
  await expect.poll(top).toBeLessThan(200); // they scroll into view
  expect(await page.getByText(/Sampled at temperature 1: \d of 6 right/).count()).toBe(2);
  expect(await page.getByText(/the shortcut’s is/).count()).toBe(1);
  expect(await violations(page)).toEqual([]);

  // Another story takes the answers away.
  const told = page.locator('.as-told').first();
  const before = await told.innerText();
  await another.click();
  await expect.poll(() => told.innerText()).not.toBe(before);
  await page.locator('.answers').waitFor({ state: 'detached' });

  // The form holds the run's settings, and trains it with others.
  const steps = page.getByLabel('Steps', { exact: true });
  await steps.fill('3');
  await steps.press('Tab');
  await startButton(page).click();
  await page.locator('.run-status').getByText('Finished: 3 steps').waitFor();
});

it('the bar of a run has few words, and stays visible, at most 64 px high', async () => {
  const page = await visit(longRun(), { viewport: { width: 1280, height: 800 } });
  await startRun(page);
  await reachStep(page, 2);
  expect(await wordsInSight(page)).toBeLessThanOrEqual(180);
  await page.evaluate(() => scrollTo(0, document.body.scrollHeight));
  const bar = await page.locator('.bar-of-run').boundingBox();
  expect(bar!.y).toBe(0);
  expect(bar!.height).toBeLessThanOrEqual(64);
  expect(await violations(page)).toEqual([]);
  await page.getByRole('button', { name: 'Stop' }).click();
});
