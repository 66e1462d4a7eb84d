/**
 * Takes pictures of the built page in Chromium:
 *
 *     tsx scripts/screenshots.ts             docs/images/opening.png for the README: the ladder's recording at its end
 *     tsx scripts/screenshots.ts --review    every view at every width and colour scheme, to .cache/screenshots
 */
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { chromium, type Browser, type Page } from 'playwright-core';
import { build } from 'vite';
import { serveBuild } from '../tests/e2e/helpers/build-and-serve';
import { chromiumFlags, findChromium } from '../tests/fixtures/chromium';

const root = join(import.meta.dirname, '..');
const reviewFolder = join(root, '.cache', 'screenshots');
/** Time limit for a whole run of the default preset. */
const runLimit = 15 * 60_000;

interface Look {
  colorScheme: 'light' | 'dark';
  width: number;
  forcedColors?: 'active';
}

const readmeLook: Look = { colorScheme: 'light', width: 1280 };
const reviewLooks: Look[] = [390, 1280, 1366, 1600].flatMap((width): Look[] => [
  { colorScheme: 'light', width },
  { colorScheme: 'dark', width },
  { colorScheme: 'light', width, forcedColors: 'active' },
]);

async function open(
  browser: Browser,
  address: string,
  { colorScheme, width, forcedColors }: Look,
): Promise<Page> {
  const profile = await browser.newContext({ colorScheme, forcedColors, viewport: { width, height: 1000 } });
  const page = await profile.newPage();
  await page.goto(address);
  await page
    .locator('.start')
    .getByRole('button', { name: /^Train/ })
    .waitFor();
  return page;
}

/** Takes a picture of the current view in every look, so that the run behind it is trained only once. */
async function takeLooks(page: Page, moment: string, folder: string): Promise<void> {
  for (const { colorScheme, width, forcedColors = 'none' } of reviewLooks) {
    await page.emulateMedia({ colorScheme, forcedColors });
    await page.setViewportSize({ width, height: 1000 });
    await page.waitForTimeout(400);
    const look = forcedColors === 'active' ? 'forced' : colorScheme;
    await page.screenshot({ path: join(folder, `${moment}-${look}-${width}.png`), fullPage: true });
  }
  await page.emulateMedia({ colorScheme: 'light', forcedColors: 'none' });
  await page.setViewportSize({ width: readmeLook.width, height: 1000 });
}

type Take = (moment: string) => Promise<void>;

/**
 * The first screen: a replay that waits for the guess, and three runs at their first steps, in the middle, and at their
 * end.
 */
async function takeLadderPictures(page: Page, address: string, take: Take): Promise<void> {
  await page.goto(`${address}#ladder=2401`);
  await page.reload();
  const badge = page.locator('.rung.small .badge');
  await page.locator('.story.short').waitFor();
  await take('ladder-first');
  await page.getByRole('button', { name: /^Train (two|three) small models/ }).click();
  await badge.getByText(/^[1-9]\d*\/60$/).waitFor({ timeout: runLimit });
  await take('ladder-begun');
  await badge.getByText(/^[45]\d\/60$/).waitFor({ timeout: runLimit });
  await take('ladder-midway');
  await page.getByRole('button', { name: 'Another seed?' }).waitFor({ timeout: runLimit });
  await page.getByRole('button', { name: 'Skip', exact: true }).click();
  await page.locator('.outcome').waitFor();
  await take('ladder-end');
  await page.locator('.rung.small').getByRole('button', { name: 'Why?' }).click();
  await page.locator('.why-page .first-and-now .story').waitFor();
  await page.getByText('What is an advantage?').click();
  await page.locator('.why-page .update .stages').waitFor();
  await page.getByText('How sure is that?').click();
  await page.locator('.why-page .verdict-panel').waitFor();
  await take('ladder-why');
  await page.getByRole('button', { name: 'All of this run' }).click();
  await page.locator('.run-panel').getByText('Finished: 60 steps').first().waitFor();
  await take('ladder-run');
}

async function takePictures(page: Page, take: Take): Promise<void> {
  await take('start');
  await page.getByLabel('Runs on').selectOption('wasm');
  await page
    .locator('.start')
    .getByRole('button', { name: /^Train/ })
    .click();
  await page.waitForFunction(
    () => {
      const bar = document.querySelector<HTMLProgressElement>('.run-panel progress');
      return bar !== null && bar.value >= bar.max / 2;
    },
    undefined,
    { timeout: runLimit },
  );
  await page.getByRole('button', { name: 'Pause' }).click();
  await page.getByRole('button', { name: 'Resume' }).waitFor({ timeout: runLimit });
  await take('paused');
  await page.getByRole('button', { name: 'Resume' }).click();
  await page.locator('.run-status').getByText('Finished').waitFor({ timeout: runLimit });
  await take('end');
  for (const name of [
    'Sample by sample',
    'Ask it yourself',
    'Evaluation',
    'What am I looking at?',
    'Runs',
    'Settings',
  ]) {
    await page.getByRole('tab', { name, exact: true }).click();
    if (name === 'Ask it yourself') {
      await page.getByRole('button', { name: 'Ask', exact: true }).click();
      await page.locator('.answers').waitFor();
    }
    await take(`tab-${name.split(' ')[0].toLowerCase()}`);
  }
}

async function takeSweepPictures(page: Page, take: Take): Promise<void> {
  const start = page.getByRole('button', { name: 'Start the sweep' });
  await start.waitFor();
  await take('sweep-form');
  await page.getByLabel('Runs at once on the CPU').selectOption('2');
  await start.click();
  await page.getByText(/^Run 2 of 4/).waitFor({ timeout: runLimit });
  await page.getByRole('button', { name: 'Pause' }).click();
  await page.getByRole('button', { name: 'Resume' }).waitFor({ timeout: runLimit });
  await take('sweep-paused');
  await page.getByRole('button', { name: 'Resume' }).click();
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

async function savedRuns(page: Page): Promise<string[]> {
  const files: string[] = [];
  // A page that shows a run has a tab for the list of runs.
  const tab = page.getByRole('tab', { name: 'Runs', exact: true });
  if (await tab.isVisible()) await tab.click();
  for (const row of await page.locator('.runs li').all()) {
    await row.locator('.menu summary').click();
    const download = page.waitForEvent('download');
    await row.getByRole('button', { name: 'run.marble' }).click();
    files.push(await (await download).path());
  }
  return files;
}

/** The class: its desk before and after the files are added, and a student's view. */
async function takeClassPictures(page: Page, address: string, take: Take): Promise<void> {
  await page.getByRole('button', { name: 'Train', exact: true }).click();
  const files = await savedRuns(page);
  await take('kept-runs');
  await page.getByRole('button', { name: 'Class', exact: true }).click();
  await take('class');
  await page.getByLabel('Run files of the class').setInputFiles(files);
  await page.getByText(`${files.length} runs read`).waitFor();
  await take('class-results');
  await page.getByRole('button', { name: /^Clear \d/ }).click();
  await page.goto(`${address}#v=1&preset=swap-shortcut&class=25&hide=settings,sweeps,class,data,verdict`);
  await page.reload();
  await page.getByLabel('Your number or your name').waitFor();
  await take('class-seat');
}

/** Views that need no run, and error screens. */
async function takeStillPictures(page: Page, address: string, take: Take): Promise<void> {
  await page.goto(address);
  await page.getByRole('button', { name: 'Data' }).click();
  await take('data');
  await page.getByRole('button', { name: 'Train', exact: true }).click();
  await page.goto(`${address}#v=1&preset=ladder-12k&steps=40&algorithm.kl.coefficient=0.05`);
  await page.getByRole('heading', { name: /^You were sent/ }).waitFor();
  await take('sent-link');
  await page.goto(`${address}#v=1&preset=swap-shortcut&model.kind=url&model.url=http://localhost:9/model`);
  await page
    .locator('.start')
    .getByRole('button', { name: /^Train/ })
    .click();
  await page.getByRole('button', { name: 'Contact localhost:9' }).waitFor();
  await take('consent');
  await page.getByRole('button', { name: 'Contact localhost:9' }).click();
  await page.getByRole('heading', { name: 'The model’s host cannot be reached' }).waitFor();
  await take('no-host');
  await page.goto(`${address}#nonsense`);
  await page.reload();
  await page.getByRole('alert').waitFor();
  await take('refused-link');
}

/** A run interrupted by a reload, and a tab next to one that trains. */
async function takeTabPictures(page: Page, address: string, take: Take): Promise<void> {
  await page.goto(`${address}#v=1&preset=swap-shortcut&seed=9&steps=5000&backend=wasm`);
  await page.reload();
  await page
    .locator('.start')
    .getByRole('button', { name: /^Train/ })
    .click();
  await page.waitForFunction(
    () => (document.querySelector<HTMLProgressElement>('.run-panel progress')?.value ?? 0) >= 3,
    undefined,
    { timeout: runLimit },
  );
  const other = await page.context().newPage();
  await other.goto(address);
  await other.getByRole('heading', { name: 'Another tab is training' }).waitFor();
  await takeLooks(other, 'other-tab', reviewFolder);
  await other.close();
  await page.reload();
  await page.getByRole('button', { name: /^Go on with/ }).waitFor();
  await take('cut-off');
}

const { values } = parseArgs({ options: { review: { type: 'boolean', default: false } } });
const built = join(root, 'node_modules', '.cache', 'screenshot-build');
await build({ root, logLevel: 'error', build: { outDir: built, emptyOutDir: true } });
const { server, address } = await serveBuild(built);
const browser = await chromium.launch({ executablePath: findChromium(), args: chromiumFlags });
try {
  if (!values.review) {
    const images = join(root, 'docs', 'images');
    await mkdir(images, { recursive: true });
    const { colorScheme, width } = readmeLook;
    const viewport = { width, height: 800 };
    const page = await browser.newPage({ colorScheme, viewport, reducedMotion: 'reduce' });
    await page.goto(address);
    await page.getByRole('button', { name: 'Watch our recording' }).click();
    await page.getByRole('button', { name: 'Skip', exact: true }).click();
    await page.locator('.rung-ending').nth(2).waitFor();
    await page.waitForTimeout(500);
    await page.screenshot({ path: join(images, 'opening.png') });
    console.log(`${images}: opening.png`);
  } else {
    await mkdir(reviewFolder, { recursive: true });
    // Ten steps are enough to check the looks.
    const short = `${address}#v=1&preset=swap-shortcut&steps=10&evaluation.every=5&evaluation.items=40&evaluation.finalItems=40&evaluation.validationItems=20`;
    const page = await open(browser, short, readmeLook);
    const take: Take = (moment) => takeLooks(page, moment, reviewFolder);
    page.on('dialog', (dialog) => void dialog.accept()); // accepts the question about leaving during training
    await takePictures(page, take);
    await takeLadderPictures(page, address, take);
    await page.goto(`${short}&sweep.reward=logic-rl,faithful&sweep.seed=1,2`);
    await takeSweepPictures(page, take);
    await takeClassPictures(page, address, take);
    await takeStillPictures(page, address, take);
    await takeTabPictures(page, address, take);
    console.log(reviewFolder);
  }
} finally {
  await browser.close();
  await server.close();
}
