/**
 * Loads the checkpoint of the 0.5B shape in Chromium twice from a Hub-like server of 200 Mbit/s, one JSON line each: seconds
 * to the loaded model and to its first token, and the most memory that the page's process held above what it held before.
 *
 *     npx tsx scripts/make-checkpoint.ts && node scripts/run.mjs tests/bench/loading.ts
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { chromium, type Browser } from 'playwright-core';
import { chromiumFlags, findChromium } from '../fixtures/chromium';
import { startHub } from '../fixtures/hub-server';
import { servePage } from '../store/page-server';
import { LARGE_MODEL } from './large-model';
import type { LoadingPage } from './loading-page';

/** In the page only. */
declare const load: LoadingPage;

const bytesPerSecond = 200e6 / 8;
const flags = [...chromiumFlags, '--enable-unsafe-webgpu', '--use-webgpu-adapter=swiftshader'];

/** Megabytes in memory of all processes that run pages and workers. */
async function pageMemory(browser: Browser): Promise<number> {
  const session = await browser.newBrowserCDPSession();
  const { processInfo } = await session.send('SystemInfo.getProcessInfo');
  await session.detach();
  const kilobytes = processInfo
    .filter(({ type }) => type === 'renderer')
    .map(({ id }) => Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${id}/status`, 'utf8'))?.[1] ?? 0));
  return kilobytes.reduce((sum, value) => sum + value, 0) / 1000;
}

const hub = await startHub({
  files: {
    'config.json': readFileSync(join(LARGE_MODEL, 'config.json')),
    'model.safetensors': join(LARGE_MODEL, 'model.safetensors'),
  },
  bytesPerSecond,
});
const server = await servePage(join(import.meta.dirname, 'loading-page.ts'));
const browser = await chromium.launch({ executablePath: findChromium(), args: flags });
const profile = await browser.newContext();
for (const visit of ['first', 'second']) {
  const page = await profile.newPage();
  await page.goto(server.address);
  await page.waitForFunction(() => 'load' in globalThis);
  const before = await pageMemory(browser);
  let most = before;
  const watch = setInterval(() => {
    void pageMemory(browser).then((now) => (most = Math.max(most, now)));
  }, 200);
  const times = await page.evaluate(
    ([repository, revision, endpoint]) => load(repository, revision, endpoint),
    [hub.repository, hub.revision, hub.endpoint] as const,
  );
  clearInterval(watch);
  console.log(JSON.stringify({ visit, ...times, beforeMb: before, peakAboveMb: most - before }));
  await page.close();
}
await browser.close();
await server.close();
await hub.close();
