import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { chromium } from 'playwright-core';
import { expect, it } from 'vitest';
import { chromiumFlags, findChromium } from '../fixtures/chromium';
import { servePlainly } from '../fixtures/servers/plain-server';
import { installPackage } from './installed';

it('the package trains in another page, from a plain server', { timeout: 240_000 }, async () => {
  const { folder, installed } = await installPackage('page');
  const site = join(folder, 'site');
  cpSync(join(import.meta.dirname, '../../examples/page'), site, { recursive: true });
  for (const [from, to] of [
    ['browser', 'marble'],
    ['models/ladder-25k', 'ladder-25k'],
  ])
    cpSync(join(installed, 'dist-package', from), join(site, to), { recursive: true });
  const server = await servePlainly(site);
  const browser = await chromium.launch({ executablePath: findChromium(), args: chromiumFlags });
  try {
    const page = await browser.newPage();
    await page.goto(server.address);
    const log = page.locator('#log');
    await expect.poll(() => log.textContent(), { timeout: 200_000 }).toMatch(/done\n$/);
    expect(await log.textContent()).toMatch(/^step 1: reward [\d.-]+\nstep 2: reward [\d.-]+\ndone\n$/);
  } finally {
    await browser.close();
    await server.close();
  }
});
