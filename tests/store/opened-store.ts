/** A page with the store, in a new browser context for every test. */
import { join } from 'node:path';
import { chromium, type Browser, type BrowserContext, type Page } from 'playwright-core';
import { beforeAll, beforeEach } from 'vitest';
import { chromiumFlags, findChromium } from '../fixtures/chromium';
import { servePage, type PageServer } from './page-server';

export let server: PageServer;
/** Shared by all test files of the process, and closed with it. */
let browser: Browser | null = null;
export let context: BrowserContext;
export let page: Page;

export async function openPage(): Promise<Page> {
  const opened = await context.newPage();
  await opened.goto(server.address);
  await opened.waitForFunction(() => 'marble' in globalThis);
  return opened;
}

/** Registers hooks that open the page for the tests of a file. */
export function inStorePage(): void {
  beforeAll(async () => {
    if (browser !== null) return;
    server = await servePage(join(import.meta.dirname, 'store-page.ts'));
    browser = await chromium.launch({ executablePath: findChromium(), args: chromiumFlags });
  }, 60_000);

  beforeEach(async () => {
    await (context as BrowserContext | undefined)?.close();
    context = await browser!.newContext();
    page = await openPage();
  });
}
