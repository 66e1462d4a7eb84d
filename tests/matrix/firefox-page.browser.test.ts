/**
 * The page in Firefox, driven by WebDriver BiDi: the first screen, a run, a reload, an import and a class.
 * @module-tag long
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import puppeteer, { type Browser, type ElementHandle, type Page } from 'puppeteer-core';
import { build, type PreviewServer } from 'vite';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { serveBuild } from '../e2e/helpers/build-and-serve';
import { folderForAll } from '../fixtures/folder';
import { findFirefox } from './in-firefox';

const command = findFirefox();
const title = command === null ? 'Firefox is not installed' : 'a visit with Firefox';
const PATIENCE = 180_000;
const rows = [
  { story: 'Anne has a ball.', question: 'What has Anne?', answer: 'ball' },
  { story: 'Ben has a key.', question: 'What has Ben?', answer: 'key' },
  { story: 'Cleo has a cup.', question: 'What has Cleo?', answer: 'cup' },
];

describe.skipIf(command === null)(title, () => {
  const folder = folderForAll('firefox-page');
  const errors: string[] = [];
  let server: PreviewServer;
  let address: string;
  let firefox: Browser;

  beforeAll(async () => {
    const root = join(import.meta.dirname, '../..');
    await build({ root, logLevel: 'error', build: { outDir: join(folder, 'dist'), emptyOutDir: true } });
    ({ server, address } = await serveBuild(join(folder, 'dist')));
    firefox = await puppeteer.launch({ browser: 'firefox', executablePath: command!, headless: true });
  });
  afterAll(async () => {
    await firefox.close();
    await server.close();
  });

  async function open(hash = ''): Promise<Page> {
    const page = await firefox.newPage();
    page.setDefaultTimeout(PATIENCE);
    page.on('pageerror', (error) => errors.push(String(error)));
    page.on('console', (message) => {
      if (message.type() === 'error') errors.push(message.text());
    });
    await page.setViewport({ width: 1280, height: 800 });
    await page.goto(`${address}${hash}`);
    return page;
  }
  /** Polls by a timer: Firefox draws no frames for a page in the background. */
  const until = (page: Page, holds: (text: string) => boolean, text: string): Promise<unknown> =>
    page.waitForFunction(holds, { polling: 250, timeout: PATIENCE }, text);
  const waitFor = (page: Page, text: string): Promise<unknown> =>
    until(page, (wanted) => document.body.innerText.includes(wanted), text);
  /** Clicks the enabled button or link whose text begins with these words. */
  const press = (page: Page, words: string): Promise<unknown> =>
    until(
      page,
      (wanted) => {
        const all = [...document.querySelectorAll<HTMLButtonElement>('button, a')];
        const found = all.find(({ innerText, disabled }) => !disabled && innerText.trim().startsWith(wanted));
        found?.click();
        return found !== undefined;
      },
      words,
    );

  it('trains the small models of the first screen to a verdict', { timeout: PATIENCE }, async () => {
    const page = await open();
    await press(page, 'Train two small models');
    await until(page, (done) => document.body.innerText.split(done).length > 3, '60/60');
    await press(page, 'Skip');
    await waitFor(page, 'ard questions right: ');
    await page.close();
  });

  it('keeps a run over a reload, and imports rows', { timeout: PATIENCE }, async () => {
    const page = await open('#preset=ladder-12k&steps=3&evaluation.finalItems=100');
    await press(page, 'Train, about');
    await waitFor(page, 'Finished: 3 steps');
    await page.reload();
    await waitFor(page, 'step 3 of 3');
    await press(page, 'Data');
    const chooser = await page.waitForSelector('input[type=file]', { timeout: PATIENCE });
    const path = join(folder, 'rows.json');
    writeFileSync(path, JSON.stringify(rows));
    await (chooser as ElementHandle<HTMLInputElement>).uploadFile(path);
    await waitFor(page, 'What has Anne?');
    await page.close();
  });

  it('has no error in its console', () => {
    expect(errors).toEqual([]);
  });
});
