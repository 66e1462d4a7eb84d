/**
 * Models and adapters from other sources in the page: looked up, confirmed, downloaded once, deleted; and those
 * from the visitor's own files.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { BrowserContext, Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { unzipSync } from 'fflate';
import { itemsOf } from '../../tom/items';
import type { HubServer } from '../../fixtures/servers/hub-server';
import { violations } from '../helpers/accessibility';
import { hubProfile, onHub, startToyHub, toyFolder, toyNames } from '../helpers/hub-profile';
import {
  finish,
  openPage,
  reachStep,
  savedOfRun,
  shortRun,
  startRun,
  startButton,
  visit,
} from '../helpers/visitor';

let hub: HubServer;
let offline = false;

beforeAll(async () => {
  hub = await startToyHub(60_000);
});
afterAll(() => hub.close());
beforeEach(() => {
  offline = false;
  hub.requests.length = 0;
});

const ourProfile = (): Promise<BrowserContext> => hubProfile(hub, () => offline);

const download = (page: Page) => page.getByRole('heading', { name: 'This run needs a download of' });
const agree = (page: Page) => page.locator('.screen').getByRole('button', { name: /and train$|^Train$/ });
const stored = (page: Page) => page.getByRole('region', { name: 'Models kept in this browser' });

/** The page asks this once for each host before contacting it. */
const contact = (page: Page) => page.getByRole('button', { name: /^Contact / });

describe('a model on the Hub', () => {
  it('is downloaded after consent, kept, used offline and deleted', { tags: ['long'] }, async () => {
    const profile = await ourProfile();
    const page = await openPage(profile, shortRun({ steps: 5000, ...onHub(hub) }));
    await page.locator('.about').getByText('5,000 steps of 8 answers').waitFor();
    expect(hub.requests).toEqual([]);
    await startRun(page);
    await contact(page).waitFor();
    expect(hub.requests).toEqual([]);
    expect(await violations(page)).toEqual([]);
    await contact(page).click();
    await download(page).waitFor();
    expect(hub.requests.filter(({ file }) => file === 'model.safetensors')).toEqual([]);
    expect(await violations(page)).toEqual([]);
    await agree(page).click();
    await page.getByText(/Fetching model\.safetensors: .* of 103 kB/).waitFor();
    await page.getByRole('button', { name: 'Stop' }).click();
    await startButton(page).waitFor();

    await startRun(page);
    await agree(page).click();
    // Before the run's own bar, the download has one.
    await page.getByRole('button', { name: 'Pause' }).waitFor();
    await stored(page).locator('b', { hasText: 'marble/toy at' }).waitFor();
    await page.close();

    offline = true;
    const again = await openPage(profile, shortRun({ steps: 5000, ...onHub(hub) }));
    await startRun(again);
    await contact(again).click();
    await again.getByRole('heading', { name: 'This run’s model is here already' }).waitFor();
    await agree(again).click();
    await again.getByRole('button', { name: 'Pause' }).waitFor();
    await reachStep(again, 2);
    await again.getByRole('button', { name: 'Stop' }).click();
    const goOn = again.getByRole('button', { name: /^Resume from step/ });
    await goOn.waitFor();
    await stored(again).getByRole('button', { name: 'Delete' }).click();
    await stored(again).getByRole('button', { name: 'Delete for good' }).click();
    await stored(again).waitFor({ state: 'detached' });
    await goOn.click();
    const unreachable = again.getByRole('alert').getByRole('heading');
    await unreachable.getByText('cannot be reached, or the connection broke').waitFor();
    offline = false;
    hub.requests.length = 0;
    await again.getByRole('button', { name: 'Try again' }).click();
    await download(again).waitFor();
    expect(hub.requests.filter(({ file }) => file === 'model.safetensors')).toEqual([]);
    await agree(again).click();
    await again.getByRole('button', { name: 'Pause' }).waitFor();
    await reachStep(again, 4);
    await again.close();
  });

  it('is named by a branch, and the run records its current commit', { tags: ['long'] }, async () => {
    const page = await openPage(await ourProfile());
    await page.getByLabel('Model', { exact: true }).selectOption('hub');
    await page.getByLabel('Repository').fill('marble/toy');
    expect(hub.requests).toEqual([]);
    await page.getByRole('button', { name: 'Look up its commit and use it' }).click();
    await page.getByText(`marble/toy at commit ${hub.revision}`).waitFor();
    await page.getByText('First run on a model of 0.5 billion').first().waitFor();
    expect(await violations(page)).toEqual([]);
    await page.getByLabel('Model', { exact: true }).selectOption('ladder-12k');
    await page.getByText('The ladder: the small model').first().waitFor();
  });
});

describe('the visitor’s own model', () => {
  const paths = toyNames.map((name) => join(toyFolder, name));

  it('trains from chosen files, and its link asks the recipient for them', async () => {
    const page = await visit(shortRun({ steps: 2, 'model.kind': 'files', 'model.name': 'somewhere' }));
    await startRun(page);
    const screen = page.getByRole('alert');
    await screen.getByText('This run’s model comes from files of this or another computer').waitFor();
    await screen.getByRole('button', { name: 'Back to the page' }).click();

    await page.getByLabel('Choose the model’s files').setInputFiles(paths);
    await page.getByText('model.safetensors. The files stay where they are').waitFor();
    await startRun(page);
    await page.locator('.screen').getByRole('button', { name: 'Train', exact: true }).click();
    await finish(page);

    // After a reload the page asks for the files where they are missing, and goes on.
    await page.reload();
    await startRun(page);
    await screen.getByLabel('Choose the model’s files').setInputFiles(paths);
    await page.locator('.screen').getByRole('button', { name: 'Train', exact: true }).click();
    await finish(page);

    const archive = unzipSync(readFileSync(await savedOfRun(page, 'model.zip')));
    expect(Object.keys(archive)).toEqual(
      expect.arrayContaining([...toyNames, 'README.md', 'tokenizer/tokenizer.json']),
    );
    const before = readFileSync(join(toyFolder, 'model.safetensors'));
    expect(archive['model.safetensors'].length).toBe(before.length);
    expect(Buffer.compare(archive['model.safetensors'], before)).not.toBe(0);
  });

  it('answers questions in the visitor’s own words', { tags: ['long'] }, async () => {
    const reader = join(toyFolder, '..', 'hitom-mini');
    const [item] = itemsOf('hitom-short', 1, 5, { orders: [1] });
    const page = await visit(
      shortRun({ preset: 'hitom-mini', steps: 1, 'model.kind': 'files', 'model.name': 'mine' }),
    );
    await page
      .getByLabel('Choose the model’s files')
      .setInputFiles(toyNames.map((name) => join(reader, name)));
    await startRun(page);
    await page.locator('.screen').getByRole('button', { name: 'Train', exact: true }).click();
    await finish(page);
    await page.getByRole('tab', { name: 'Ask it yourself' }).click();
    await page.locator('[name=story]').fill(item.story);
    await page.locator('[name=question]').fill('');
    await page.locator('[name=answer]').fill(item.answer);
    const ask = page.getByRole('button', { name: 'Ask', exact: true });
    await ask.click();
    await page.locator('textarea[name=question]:focus:invalid').waitFor(); // the browser asks for it
    await page.locator('[name=question]').fill(item.question);
    await ask.click();
    await page.getByRole('heading', { name: 'Before training: its likeliest answer' }).waitFor();
    await page.getByRole('heading', { name: 'After 1 step: its likeliest answer' }).waitFor();
    expect(await page.getByText(/of 6 right/).count()).toBe(2);
    expect(await violations(page)).toEqual([]);
  });
});
