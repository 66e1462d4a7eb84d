import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { itemsOf } from '../../tom/items';
import { violationsInBothSchemes } from '../helpers/accessibility';
import {
  copiedLink,
  fileOf,
  place,
  reachStep,
  runToEnd,
  shortRun,
  startButton,
  startRun,
  visit,
} from '../helpers/visitor';

/** Stories that the embedded model can read, as a user's file. */
const ownRows = (seed: number, count = 60): string =>
  itemsOf('swap', count, seed, { orders: [0, 1, 2] })
    .map(({ story, question, answer, order }) => JSON.stringify({ story, question, answer, order }))
    .join('\n');

const chooser = (page: Page) => page.getByLabel('Choose a file');
const savedDataset = (page: Page, name: string) => page.locator('.datasets li', { hasText: name });

async function importFile(page: Page, name: string, text: string): Promise<void> {
  await chooser(page).setInputFiles(fileOf(name, text));
  await page.getByRole('button', { name: /^Import .* rows?$/ }).click();
  await page.getByRole('status').getByText('is kept').waitFor();
}

it('a data set is previewed, kept over a reload and deleted, and nothing of a file with a bad row is kept', async () => {
  const narrow = { viewport: { width: 390, height: 900 } };
  const page = await visit('#run', narrow);
  await place(page, 'Data').click();
  const rows = ownRows(1).split('\n');
  await chooser(page).setInputFiles(fileOf('mine.jsonl', rows.join('\n')));
  const preview = page.getByRole('region', { name: 'Import a data set' });
  await preview.getByText('JSONL, 60 rows, read as own').waitFor();
  expect(await preview.locator('dl').innerText()).toContain('order');
  expect(await preview.getByRole('region', { name: 'First questions' }).locator('tbody tr').count()).toBe(3);
  expect(await savedDataset(page, 'mine').count()).toBe(0);

  const bad = rows.with(41, JSON.stringify({ story: 's', question: 'where ?' })).join('\n');
  await chooser(page).setInputFiles(fileOf('bad.jsonl', bad));
  await page.getByRole('button', { name: 'Import 60 rows' }).click();
  const alert = page.getByRole('alert');
  await alert.getByText('Row 42: column "answer" should be text').waitFor();
  expect(await alert.innerText()).toContain('Nothing was imported');
  expect(await page.locator('.datasets li').count()).toBe(0);
  expect(await violationsInBothSchemes(page)).toEqual([]);

  await importFile(page, 'mine.jsonl', rows.join('\n'));
  expect(await violationsInBothSchemes(page)).toEqual([]);
  await page.reload();
  const row = savedDataset(page, 'mine');
  await row.getByText('60 questions').waitFor();
  await row.getByRole('button', { name: 'Delete' }).click();
  await row.getByRole('button', { name: 'Delete for good' }).click();
  await page.getByText('None yet.').first().waitFor();
  expect(await page.locator('.datasets li').count()).toBe(0);
});

it('a run trains and evaluates on imported sets that its link names', { tags: ['long'] }, async () => {
  const page = await visit(shortRun({ steps: 4, 'evaluation.every': 2 }));
  await place(page, 'Data').click();
  await importFile(page, 'theirs.jsonl', ownRows(1));
  await importFile(page, 'judging.jsonl', ownRows(2));
  await savedDataset(page, 'theirs').getByRole('button', { name: 'Train on it' }).click();
  await expect.poll(() => startButton(page).evaluate((it) => it === document.activeElement)).toBe(true);
  expect(await page.getByLabel('Task').locator('option:checked').innerText()).toBe('theirs');
  await place(page, 'Data').click();
  await savedDataset(page, 'judging').getByRole('button', { name: 'Evaluate on it' }).click();
  await savedDataset(page, 'judging')
    .getByRole('button', { name: 'Evaluate on it', pressed: true })
    .waitFor();
  const link = await copiedLink(page);

  await place(page, 'Train').click();
  await runToEnd(page);
  await page.getByRole('tab', { name: 'Evaluation' }).click();
  await page.getByText('By task and order').click();
  const table = page.getByRole('region', { name: 'Evaluation by task' });
  await table.getByRole('row', { name: /^theirs, order 1 \d+ yes/ }).waitFor();
  await table.getByRole('row', { name: /^judging 6 no/ }).waitFor();
  expect(link).toMatch(/data\.source=imported:theirs-[0-9a-f]{16}&/);
  expect(link.length).toBeLessThan(1000);
  expect(link).not.toContain('coin');

  const other = await visit(new URL(link).hash);
  await startRun(other);
  await other.locator('.screen').getByText('This run needs the data set theirs-').waitFor();
  await place(other, 'Data').click();
  await importFile(other, 'theirs.jsonl', ownRows(1));
  await importFile(other, 'judging.jsonl', ownRows(2));
  await place(other, 'Train').click();
  await startRun(other);
  await reachStep(other, 1);
});
