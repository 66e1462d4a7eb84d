/**
 * Takes the README's picture of the built page in Chromium, the ladder's recording at its end:
 *
 *     npx tsx scripts/opening-picture.ts
 */
import { join } from 'node:path';
import { chromium } from 'playwright-core';
import { build } from 'vite';
import { serveBuild } from '../tests/e2e/helpers/build-and-serve';
import { chromiumFlags, findChromium } from '../tests/fixtures/chromium';

const root = join(import.meta.dirname, '..');
const picture = join(root, 'docs', 'images', 'opening.png');
const built = join(root, 'node_modules', '.cache', 'screenshot-build');

await build({ root, logLevel: 'error', build: { outDir: built, emptyOutDir: true } });
const { server, address } = await serveBuild(built);
const browser = await chromium.launch({ executablePath: findChromium(), args: chromiumFlags });
try {
  const viewport = { width: 1280, height: 800 };
  const page = await browser.newPage({ colorScheme: 'light', viewport, reducedMotion: 'reduce' });
  await page.goto(address);
  await page.getByRole('button', { name: 'Watch our recording' }).click();
  await page.getByRole('button', { name: 'Skip', exact: true }).click();
  await page.locator('.rung-ending').nth(2).waitFor();
  await page.evaluate(() => scrollTo(0, 0));
  await page.waitForTimeout(500);
  await page.screenshot({ path: picture });
  console.log(picture);
} finally {
  await browser.close();
  await server.close();
}
