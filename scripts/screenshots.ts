/**
 * Pictures of the page, taken from the build in Chromium:
 *
 *   tsx scripts/screenshots.ts             docs/images/opening.png for the README: the recordings at their ends
 *   tsx scripts/screenshots.ts --review    every place at every width and colour scheme, to .cache/screenshots
 */
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { chromium, type Browser, type Page } from 'playwright-core';
import { build } from 'vite';
import { chromiumFlags, findChromium } from '../tests/fixtures/chromium';
import { serve } from './serve';

const root = join(import.meta.dirname, '..');
/** How long a whole run of the default preset may take. */
const runLimit = 15 * 60_000;

interface Look {
  colorScheme: 'light' | 'dark';
  width: number;
  forcedColors?: 'active';
}

const readmeLook: Look = { colorScheme: 'light', width: 1280 };
const reviewLooks: Look[] = [
  { colorScheme: 'light', width: 1280 },
  { colorScheme: 'dark', width: 1280 },
  { colorScheme: 'light', width: 390 },
  { colorScheme: 'dark', width: 390 },
  { colorScheme: 'light', width: 1600 },
  { colorScheme: 'light', width: 1280, forcedColors: 'active' },
];

async function open(
  browser: Browser,
  address: string,
  { colorScheme, width, forcedColors }: Look,
): Promise<Page> {
  const profile = await browser.newContext({ colorScheme, forcedColors, viewport: { width, height: 1000 } });
  const page = await profile.newPage();
  await page.goto(address);
  await page.getByRole('button', { name: 'Run it on this computer' }).waitFor();
  return page;
}

/** The page at its start, in the middle of a run and at its end. */
async function takePictures(page: Page, name: (moment: string) => string): Promise<void> {
  const take = (moment: string): Promise<unknown> => page.screenshot({ path: name(moment), fullPage: true });
  const showEnd = page.getByRole('button', { name: 'Show the end' });
  if (await showEnd.isVisible()) await showEnd.click();
  await page.waitForTimeout(500);
  await take('start');

  await page.getByRole('button', { name: 'Run it on this computer' }).click();
  await page.waitForFunction(
    () => {
      const bar = document.querySelector<HTMLProgressElement>('.run-panel progress');
      return bar !== null && bar.value >= bar.max / 2;
    },
    undefined,
    { timeout: runLimit },
  );
  await take('running');
  await finish(page);
  await take('end');
  for (const name of ['Ask it yourself', 'Evaluation', 'What am I looking at?']) {
    await page.getByRole('tab', { name }).click();
    if (name === 'Ask it yourself') {
      await page.getByRole('button', { name: 'Ask', exact: true }).click();
      await page.locator('.answers').waitFor();
    }
    await page.waitForTimeout(500);
    await take(`tab-${name.split(' ')[0].toLowerCase()}`);
  }
}

async function finish(page: Page): Promise<void> {
  await page.locator('.run-status').getByText('Finished').waitFor({ timeout: runLimit });
  await page.waitForTimeout(500);
}

/** The sweeps before, while and after they run, and a run's report. */
async function takeSweepPictures(page: Page, name: (moment: string) => string): Promise<void> {
  const take = async (moment: string): Promise<void> => {
    await page.waitForTimeout(600);
    await page.screenshot({ path: name(moment), fullPage: true });
  };
  const start = page.getByRole('button', { name: 'Start the sweep' });
  await start.waitFor();
  await take('sweep-form');
  await start.click();
  await page.getByText(/^Run 2 of 4/).waitFor({ timeout: runLimit });
  await take('sweep-running');
  await page.getByText('4 of 4 runs ended').waitFor({ timeout: runLimit });
  await page.getByText('The 4 runs').click();
  await take('sweep-end');
  await page
    .getByRole('button', { name: /^Report/ })
    .first()
    .click();
  await page.getByRole('heading', { name: 'Make this run again' }).waitFor();
  await take('report');
}

const { values } = parseArgs({ options: { review: { type: 'boolean', default: false } } });
const built = join(root, 'node_modules', '.cache', 'screenshot-build');
await build({ root, logLevel: 'error', build: { outDir: built, emptyOutDir: true } });
const { server, address } = await serve(built);
const browser = await chromium.launch({ executablePath: findChromium(), args: chromiumFlags });
try {
  if (!values.review) {
    const images = join(root, 'docs', 'images');
    await mkdir(images, { recursive: true });
    const page = await open(browser, address, readmeLook);
    const recordings = page.getByRole('region', { name: 'Recorded runs' });
    await recordings.getByRole('button', { name: 'Show the end' }).click();
    await page.waitForTimeout(500);
    await recordings.screenshot({ path: join(images, 'opening.png') });
    console.log(`${images}: opening.png`);
  } else {
    const folder = join(root, '.cache', 'screenshots');
    await mkdir(folder, { recursive: true });
    // Ten steps are enough to judge the looks by.
    const short = `${address}#v=1&preset=micro-collapse&steps=10&evaluation.every=5&evaluation.items=40&evaluation.finalItems=40&evaluation.validationItems=20`;
    for (const look of reviewLooks) {
      const name = (moment: string): string =>
        join(
          folder,
          `${moment}-${look.forcedColors === undefined ? look.colorScheme : 'forced'}-${look.width}.png`,
        );
      const page = await open(browser, short, look);
      await takePictures(page, name);
      await page.goto(`${short}&sweep.reward=logic-rl,faithful&sweep.seed=1,2`);
      await takeSweepPictures(page, name);
      await page.context().close();
    }
    console.log(folder);
  }
} finally {
  await browser.close();
  server.close();
  server.closeAllConnections();
}
