/** The README's picture, docs/images/opening.png, taken from the build in Chromium: the ladder's recording at its end. */
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { chromium } from 'playwright-core';
import { build } from 'vite';
import { serveBuild } from '../tests/e2e/build-and-serve';
import { chromiumFlags, findChromium } from '../tests/fixtures/chromium';

const root = join(import.meta.dirname, '..');
const images = join(root, 'docs', 'images');
const built = join(root, 'node_modules', '.cache', 'screenshot-build');
await build({ root, logLevel: 'error', build: { outDir: built, emptyOutDir: true } });
const { server, address } = await serveBuild(built);
const browser = await chromium.launch({ executablePath: findChromium(), args: chromiumFlags });
try {
  await mkdir(images, { recursive: true });
  const page = await browser.newPage({
    colorScheme: 'light',
    viewport: { width: 1280, height: 800 },
    reducedMotion: 'reduce',
  });
  await page.goto(address);
  await page.locator('.rung').getByText('recorded').nth(2).waitFor();
  await page.waitForTimeout(500);
  await page.screenshot({ path: join(images, 'opening.png') });
  console.log(`${images}: opening.png`);
} finally {
  await browser.close();
  await server.close();
}
