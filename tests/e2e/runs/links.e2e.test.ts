/** What a link opens, and a run that is made again from it. */
import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { finish, openBrowserForAll, shortRun, startButton, startRun, visit } from '../helpers/visitor';

openBrowserForAll();

const follow = (page: Page, hash: string): Promise<unknown> =>
  page.evaluate((next) => (location.hash = next), hash);

it('a link plays its own recording, says what its reward pays, and trains no other model than the chosen one', async () => {
  const page = await visit('#v=1&preset=ladder-12k');
  const recording = page.locator('.recording');
  await recording.getByText('“The ladder: the small model”, as a run').waitFor();
  await follow(page, '#v=1&preset=swap-faithful');
  await recording.waitFor({ state: 'detached' });
  const sent = page.getByRole('region', { name: 'You were sent' });
  await sent.getByText('Does paying for true statements keep the reasoning?').waitFor();
  await page.getByRole('main').getByText('Settings', { exact: true }).click();
  await page.getByText('up to 2 for true statements that the question needs').waitFor();

  // Nothing has been chosen yet.
  await page.getByLabel('Where the model is from').selectOption('files');
  await page.getByText('A setting below is not valid').waitFor();
  expect(await startButton(page).isDisabled()).toBe(true);
});

it('a run is made again with another seed', async () => {
  const page = await visit(shortRun({ steps: 2 }));
  await startRun(page);
  await finish(page);
  await page.getByRole('button', { name: 'Another seed', exact: true }).click();
  await page.locator('.run-panel h2').getByText('The ladder: the middle model, seed 4').waitFor();
  await finish(page);
});
