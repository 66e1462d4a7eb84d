/**
 * What the page's own work costs a visitor, measured in Chromium on the build:
 *
 *   node scripts/run.mjs scripts/page-figures.ts [--steps 20]
 *
 * One JSON line for the start and one for a run on wasm: layout shifts, first contentful paint, and the tasks of the main
 * thread of more than 50 ms. `loadAverage` says whether the machine did anything else.
 */
import { loadavg } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { chromium } from 'playwright-core';
import { build } from 'vite';
import { chromiumFlags, findChromium } from '../tests/fixtures/chromium';
import { takeFigures, watchFigures, type PageFigures } from '../tests/fixtures/page-figures';
import { serve } from './serve';

const { values } = parseArgs({ options: { steps: { type: 'string', default: '20' } } });
const root = join(import.meta.dirname, '..');
const built = join(root, 'node_modules', '.cache', 'figures-build');
await build({ root, logLevel: 'error', build: { outDir: built, emptyOutDir: true } });
const { server, address } = await serve(built);
const browser = await chromium.launch({ executablePath: findChromium(), args: chromiumFlags });

function say(what: string, { layoutShift, firstContentfulPaint, longTasks }: PageFigures): void {
  console.log(
    JSON.stringify({
      what,
      layoutShift: Number(layoutShift.toFixed(4)),
      ...(what === 'start' && { firstContentfulPaintMs: Math.round(firstContentfulPaint ?? NaN) }),
      longTasks: longTasks.length,
      longestMs: Math.round(Math.max(0, ...longTasks)),
      loadAverage: Number(loadavg()[0].toFixed(1)),
    }),
  );
}

try {
  const page = await (await browser.newContext({ viewport: { width: 1280, height: 900 } })).newPage();
  await watchFigures(page);
  await page.goto(
    `${address}#v=1&preset=swap-shortcut&steps=${values.steps}&evaluation.items=60&evaluation.finalItems=60`,
  );
  await page.getByRole('button', { name: 'Replay' }).waitFor();
  say('start', await takeFigures(page));
  await page.getByLabel('Runs on').selectOption('wasm');
  await page.getByRole('button', { name: 'Run it on this computer' }).click();
  await page.waitForFunction(
    () => (document.querySelector<HTMLProgressElement>('.run-panel progress')?.value ?? 0) >= 1,
    undefined,
    { timeout: 120_000 },
  );
  say('before the first step', await takeFigures(page));
  await page.locator('.run-status').getByText('Finished').waitFor({ timeout: 900_000 });
  say(`${values.steps} steps`, await takeFigures(page));
} finally {
  await browser.close();
  server.close();
  server.closeAllConnections();
}
