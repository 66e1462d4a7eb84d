/** Actions of a visitor: open the page in a profile, press its buttons, read its content, save files. */
import { readFile } from 'node:fs/promises';
import { chromium } from 'playwright-core';
import type { Browser, BrowserContext, BrowserContextOptions, Locator, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect, inject } from 'vitest';
import type { Evaluation } from '../../../src/run/record/evaluation';
import { evaluationsIn, metricsRows } from '../../fixtures/metrics-rows';
import { chromiumFlags, findChromium, withWebGpu } from '../../fixtures/chromium';

/** The browser of a test file. All files share a process, and files with the same flags share a browser. */
export let browser: Browser;
let flagsOfBrowser: readonly string[] | null = null;
let flagsOfFile: readonly string[] = withWebGpu;

/** Flags for the browser of this file, instead of those for WebGPU. */
export function useFlags(flags: readonly string[]): void {
  flagsOfFile = flags;
}

/**
 * One browser for all tests of a file. After each test its profiles are closed, and unhandled errors of its pages fail
 * it.
 */
export function openBrowserForAll(): void {
  flagsOfFile = withWebGpu;
  beforeAll(async () => {
    if (flagsOfBrowser === flagsOfFile && browser.isConnected()) return;
    if (flagsOfBrowser !== null) await browser.close();
    const args = [...chromiumFlags, ...flagsOfFile];
    browser = await chromium.launch({ executablePath: findChromium(), args });
    flagsOfBrowser = flagsOfFile;
  });
  afterEach(async () => {
    await Promise.all(profiles.splice(0).map((profile) => profile.close()));
    expect(takeFaults()).toEqual([]);
  });
  // no page of this file runs during the next one
  afterAll(() => Promise.all(browser.contexts().map((profile) => profile.close())));
}

/** Profiles of the current test. */
const profiles: BrowserContext[] = [];

/**
 * By default a profile loads every page from the network, so that a test can break requests, and plays no recordings.
 * `serviceWorkers: 'allow'` caches the page as in a visitor's browser.
 */
export async function newProfile(options?: BrowserContextOptions): Promise<BrowserContext> {
  const permissions = ['clipboard-read', 'clipboard-write'];
  const usual = { serviceWorkers: 'block', reducedMotion: 'reduce', permissions } as const;
  const profile = await browser.newContext({ ...usual, ...options });
  profiles.push(profile);
  return profile;
}

/** Opens the page in a new profile. */
export async function visit(hash?: string, options?: BrowserContextOptions): Promise<Page> {
  return openPage(await newProfile(options), hash);
}

/** Runs this script before the trainer's worker, which init scripts do not reach. */
export async function beforeWorker(profile: BrowserContext, script: string): Promise<void> {
  await profile.route('**/trainer.worker-*.js', async (route) => {
    const answer = await route.fetch();
    await route.fulfill({ response: answer, body: `${script};\n${await answer.text()}` });
  });
}

/** A run of ten short steps, as the hash of a link. */
export function shortRun(settings: Record<string, string | number> = {}): string {
  const fields = {
    v: 1,
    preset: 'ladder-25k',
    seed: 3,
    steps: 10,
    'rollout.promptsPerStep': 2,
    'rollout.samplesPerPrompt': 4,
    'evaluation.every': 5,
    'evaluation.items': 6,
    'evaluation.finalItems': 6,
    'evaluation.hardItems': 0,
    checkpointEvery: 2,
    ...settings,
  };
  return `#${Object.entries(fields)
    .map(([name, value]) => `${name}=${encodeURIComponent(value)}`)
    .join('&')}`;
}

/** A run that trains until it is stopped, with steps long enough for other actions. */
export function longRun(settings: Record<string, string | number> = {}): string {
  return shortRun({ steps: 10_000, ...largeSteps, 'evaluation.every': 10_000, ...settings });
}

/** Settings for steps of some tenths of a second instead of some hundredths. */
export const largeSteps = { 'rollout.promptsPerStep': 16, 'rollout.samplesPerPrompt': 8 };

/** Opens the page in a tab. Unhandled errors fail the test. */
export async function openPage(
  profile: BrowserContext,
  hash = '#run',
  address = inject('address'),
): Promise<Page> {
  const page = await profile.newPage();
  page.setDefaultTimeout(60_000);
  page.on('pageerror', (error) => {
    faults.push(`${error.name}: ${error.message}`);
  });
  page.on('console', (message) => {
    const text = message.text();
    // over plain http the browser logs that it ignores a header
    if (message.type() === 'error' && !/404|net::ERR|Opener-Policy header has been ignored/.test(text))
      faults.push(text);
  });
  await page.goto(`${address}${hash}`);
  return page;
}

const faults: string[] = [];

/** Unhandled errors of pages since the previous call, including policy violations. */
export function takeFaults(): string[] {
  return faults.splice(0);
}

export const startButton = (page: Page) => page.locator('.start').getByRole('button', { name: /^Train/ });
export const status = (page: Page) => page.locator('.run-panel .run-status');

/** Opens "All settings". */
export async function openSettings(page: Page): Promise<void> {
  const settings = page.locator('details.settings');
  if (!(await settings.evaluate((element: HTMLDetailsElement) => element.open)))
    await settings.locator('summary').first().click();
}

export async function chooseBackend(page: Page, backend: 'automatic' | 'webgpu' | 'wasm'): Promise<void> {
  await openSettings(page);
  await page.getByLabel('Runs on').selectOption(backend);
  await page.locator('details.settings > summary').click(); // closes them again
}

export async function startRun(page: Page, backend: 'automatic' | 'webgpu' | 'wasm' = 'wasm'): Promise<void> {
  await chooseBackend(page, backend);
  await startButton(page).click();
}

/** Waits until the run reaches a step; an error screen fails the test with its text. */
async function runShows(
  page: Page,
  reached: (least: number) => boolean,
  least: number,
  timeout = 200_000,
): Promise<void> {
  const screen = page.locator('.screen');
  const arrived = page.waitForFunction(reached, least, { timeout, polling: 100 });
  const refused = screen.waitFor({ timeout }).then(async () => {
    throw new Error(`The page shows: ${await screen.innerText()}`);
  });
  refused.catch(() => undefined); // the page may close first
  await Promise.race([arrived, refused]);
}

/** Waits until at least this many steps are complete. */
export function reachStep(page: Page, step: number, timeout?: number): Promise<void> {
  return runShows(
    page,
    (least) => (document.querySelector<HTMLProgressElement>('.run-panel progress')?.value ?? 0) >= least,
    step,
    timeout,
  );
}

export function finish(page: Page): Promise<void> {
  const isFinished = () =>
    document.querySelector('.run-panel .run-status')?.textContent.startsWith('Finished') === true;
  return runShows(page, isFinished, 0);
}

/** Trains the run of the form to its end. */
export async function runToEnd(page: Page, backend: 'automatic' | 'webgpu' | 'wasm' = 'wasm'): Promise<void> {
  await startRun(page, backend);
  await finish(page);
}

export async function copiedLink(page: Page): Promise<string> {
  await page.getByRole('button', { name: 'Copy link' }).click();
  await page.locator('.copy-link').getByText('Copied').waitFor();
  return page.evaluate(() => navigator.clipboard.readText());
}

/** The list of saved runs, which is a tab if a run is shown. */
export async function keptRuns(page: Page): Promise<Locator> {
  const list = page.locator('.runs');
  const tab = page.getByRole('tab', { name: 'Runs', exact: true });
  await list.or(tab).first().waitFor({ state: 'attached' });
  if (await tab.isVisible()) await tab.click();
  await list.waitFor({ state: 'attached' });
  return list;
}

/** A choice of the guess about a model of the first screen. */
export const guess = (page: Page, model: string, choice: string) =>
  page.getByRole('radiogroup', { name: `Guess: the ${model} model` }).getByLabel(choice);

/** A chosen file, as Playwright passes it to the page. */
export const fileOf = (name: string, content: string | Uint8Array) => ({
  ...{ name, mimeType: 'application/octet-stream' },
  buffer: Buffer.from(content),
});

/** A section of the page, in its navigation. */
export const place = (page: Page, name: string) =>
  page.getByRole('navigation', { name: 'Places' }).getByRole('button', { name });

/** Presses a control that saves a file. @returns the path of the file */
export async function saved(page: Page, control: Locator): Promise<string> {
  const download = page.waitForEvent('download');
  await control.click();
  return (await download).path();
}

/** Saves a file of the newest run. */
export async function savedOfRun(page: Page, kind: string): Promise<string> {
  const row = (await keptRuns(page)).locator('li').first();
  const menu = row.locator('.menu').first();
  if ((await menu.getAttribute('open')) === null) await menu.locator('summary').click();
  return saved(page, row.getByRole('button', { name: kind }));
}

/** All metrics of every step of the newest run as the page saves them, without wall-clock metrics. */
export async function savedRows(page: Page): Promise<Record<string, string>[]> {
  return metricsRows(await readFile(await savedOfRun(page, 'metrics.csv'), 'utf8'));
}

/** The evaluations of the newest run as the page saves them. */
export async function savedEvaluations(page: Page): Promise<Evaluation[]> {
  return evaluationsIn(await readFile(await savedOfRun(page, 'everything.jsonl'), 'utf8'));
}

/**
 * Number of words with a letter that are painted in the viewport. Only the page's own words count, because a model's
 * thoughts may have any length.
 */
export function wordsInSight(page: Page): Promise<number> {
  return page.evaluate(() => {
    const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    let count = 0;
    while (texts.nextNode() !== null) {
      const text = texts.currentNode as Text;
      const element = text.parentElement!;
      const range = document.createRange();
      range.selectNodeContents(text);
      const { top, bottom, width } = range.getBoundingClientRect();
      const isPainted = element.checkVisibility({ contentVisibilityAuto: true, visibilityProperty: true });
      if (!isPainted || width < 2 || bottom <= 0 || top >= innerHeight) continue;
      if (element.closest('.visually-hidden, .thought') !== null) continue;
      count += text.data.match(/\p{L}[\p{L}’'-]*/gu)?.length ?? 0;
    }
    return count;
  });
}
