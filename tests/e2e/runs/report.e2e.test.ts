/**
 * The report of a run, also in another browser.
 *
 * @module-tag long
 */
import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { violationsInBothSchemes } from '../helpers/accessibility';
import { keptRuns, newProfile, openPage, runToEnd, saved, shortRun, visit } from '../helpers/visitor';

/** The text of the report of the run on show. */
async function reportText(page: Page): Promise<string> {
  await page.getByRole('tab', { name: 'Report' }).click();
  await page.getByRole('heading', { name: 'Make this run again' }).waitFor();
  return page.locator('.report').innerText();
}

it('the report of a run shows its whole record, and another browser shows the same from the file', async () => {
  const profile = await newProfile({ colorScheme: 'dark' });
  const page = await openPage(profile, shortRun({ steps: 4, 'evaluation.every': 2 }));
  await runToEnd(page);
  const text = await reportText(page);
  expect(text).toMatch(/^“The ladder: the middle model, seed 3.*” is finished at step 4 of 4/);
  expect(text).toMatch(/Evaluation at step 4/);
  expect(text).toMatch(/Its thinking is not measured/);
  expect(text).toMatch(/30 hard questions of belief \(order 1 and above\) are needed and there are \d+/);
  expect(text).toMatch(/correct reasoning on hard questions\s+\d+ %/);
  expect(text).toMatch(/rollout\.samplesPerPrompt\s+4/);
  expect(text).toMatch(/Computed on wasm by Marble /);
  expect(text).toMatch(/@software\{marble-[^]*fingerprint=4\./);
  // No meaningless digits, and a complete name.
  expect(text).not.toMatch(/\bnull\b|\d\.\d{7,}|and \d+ more/);
  expect(await violationsInBothSchemes(page)).toEqual([]);
  await page.setViewportSize({ width: 390, height: 844 });
  await expect.poll(() => page.evaluate(() => document.documentElement.scrollWidth)).toBe(390);

  const own = (await keptRuns(page)).locator('li');
  await own.locator('summary').click();
  const file = await saved(page, own.getByRole('button', { name: 'run.marble' }));
  const second = await visit('#run', { colorScheme: 'light' });
  await second.getByLabel('Open a run from a file').setInputFiles(file);
  await second.locator('.run-panel').waitFor();
  expect(await reportText(second)).toBe(text);
});
