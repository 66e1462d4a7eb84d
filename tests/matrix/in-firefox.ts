/** Runs the check in Firefox, on a page that is built for it. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import puppeteer from 'puppeteer-core';
import { servePage } from '../store/page-server';
import type { CheckResult } from './check';

/** Path of Firefox as installed by Debian or a package, or null. */
export const findFirefox = (): string | null =>
  ['/usr/bin/firefox-esr', '/usr/bin/firefox'].find((file) => existsSync(file)) ?? null;

/** @throws Error of the page, or if it takes longer than `minutes` */
export async function checkInFirefox(
  command: string,
  minutes: number,
  log: (line: string) => void,
): Promise<CheckResult> {
  const server = await servePage(join(import.meta.dirname, 'check.ts'));
  const browser = await puppeteer.launch({
    browser: 'firefox',
    executablePath: command,
    headless: true,
    protocolTimeout: 60_000 * minutes,
    extraPrefsFirefox: {
      'dom.webgpu.enabled': true,
      'gfx.webgpu.ignore-blocklist': true, // the blocklist has software adapters
    },
  });
  try {
    const page = await browser.newPage();
    page.on('console', (message) => log(message.text()));
    await page.goto(server.address);
    return await page.evaluate(() => (globalThis as unknown as { checked: Promise<CheckResult> }).checked);
  } finally {
    await browser.close();
    await server.close();
  }
}
