/**
 * Loads the checkpoint of the 0.5B shape in Chromium twice from a Hub-like server of 200 Mbit/s, one JSON line each: seconds
 * to the loaded model and to its first token, and the most memory that the page's process held above what it held before.
 *
 *     npx tsx bench/make-checkpoint.ts && node scripts/run.mjs bench/page/loading.ts
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { chromium, type Browser } from 'playwright-core';
import { chromiumFlags, findChromium } from '../../tests/fixtures/chromium';
import { startHub } from '../../tests/fixtures/servers/hub-server';
import { servePage } from '../../tests/store/page-server';
import { LARGE_MODEL } from '../steps/large-model';
import type { LoadingPage } from './loading-page';

/** In the page only. */
declare const load: LoadingPage;

const bytesPerSecond = 200e6 / 8;
const flags = [...chromiumFlags, '--enable-unsafe-webgpu', '--use-webgpu-adapter=swiftshader'];

interface Memory {
  /** All that is resident, in megabytes. */
  resident: number;
  /** Without what is shared with other processes: on its way to the GPU's, or of the program's own files. */
  own: number;
}

/** Of all processes that run pages and workers. */
async function pageMemory(browser: Browser): Promise<Memory> {
  const session = await browser.newBrowserCDPSession();
  const { processInfo } = await session.send('SystemInfo.getProcessInfo');
  await session.detach();
  const statuses = processInfo
    .filter(({ type }) => type === 'renderer')
    .map(({ id }) => readFileSync(`/proc/${id}/status`, 'utf8'));
  const sum = (field: RegExp): number =>
    statuses.reduce((total, status) => total + Number(field.exec(status)?.[1] ?? 0), 0) / 1000;
  return { resident: sum(/VmRSS:\s+(\d+)/), own: sum(/RssAnon:\s+(\d+)/) };
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
  const most = { ...before };
  const watch = setInterval(() => {
    void pageMemory(browser).then((now) => {
      most.resident = Math.max(most.resident, now.resident);
      most.own = Math.max(most.own, now.own);
    });
  }, 200);
  const times = await page.evaluate(
    ([repository, revision, endpoint]) => load(repository, revision, endpoint),
    [hub.repository, hub.revision, hub.endpoint] as const,
  );
  clearInterval(watch);
  console.log(
    JSON.stringify({
      visit,
      ...times,
      before,
      above: { resident: most.resident - before.resident, own: most.own - before.own },
    }),
  );
  await page.close();
}
await browser.close();
await server.close();
await hub.close();
