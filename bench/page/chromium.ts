/** Bundles the bench's page, serves it and opens it in Chromium, whose console becomes ours. */
import { rm } from 'node:fs/promises';
import { resolve } from 'node:path';
import { chromium, type CDPSession } from 'playwright-core';
import { build, preview } from 'vite';
import { chromiumFlags, findChromium } from '../../tests/fixtures/chromium';
import type { Suite } from '../suites';

const output = resolve('.cache/bench');

/** A graphics card where there is one, else Chromium's software adapter. */
const webgpuFlags = (software: boolean): string[] => [
  '--enable-unsafe-webgpu',
  ...(software ? ['--use-webgpu-adapter=swiftshader'] : ['--enable-features=Vulkan', '--use-angle=vulkan']),
];

/** CPU time of all of the browser's processes, in milliseconds. */
async function cpuMs(browser: CDPSession): Promise<number> {
  const { processInfo } = await browser.send('SystemInfo.getProcessInfo');
  return processInfo.reduce((sum, { cpuTime }) => sum + 1000 * cpuTime, 0);
}

async function bundle(): Promise<string> {
  await rm(output, { recursive: true, force: true });
  await build({
    configFile: false,
    logLevel: 'error',
    root: resolve('bench/page'),
    publicDir: resolve('public'),
    build: {
      outDir: output,
      target: 'es2022',
      assetsInlineLimit: 0,
      chunkSizeWarningLimit: 4096,
      rolldownOptions: { input: resolve('bench/page/page.html') },
    },
  });
  return output;
}

export async function runInChromium(suites: readonly Suite[], quick: boolean): Promise<void> {
  const server = await preview({
    configFile: false,
    logLevel: 'error',
    build: { outDir: await bundle() },
    preview: { port: 0, host: '127.0.0.1' },
  });
  const software = process.env.VK_ICD_FILENAMES !== undefined || process.env.MARBLE_ADAPTER === 'software';
  const browser = await chromium.launch({
    executablePath: findChromium(),
    args: [...chromiumFlags, ...webgpuFlags(software)],
  });
  try {
    const session = await browser.newBrowserCDPSession();
    const page = await browser.newPage();
    page.on('console', (message) => {
      if (message.type() === 'log') console.log(message.text());
      else console.error(`${message.text()} (${message.location().url})`);
    });
    await page.exposeFunction('cpuMs', () => cpuMs(session));
    const ended = new Promise<string | null>((over) => {
      void page.exposeFunction('ended', over);
      page.on('crash', () => over('The page crashed: it ran out of memory or lost its GPU process.'));
    });
    const query = new URLSearchParams({ suites: suites.join(','), ...(quick ? { quick: '' } : {}) });
    await page.goto(`${server.resolvedUrls!.local[0]}page.html?${query.toString()}`);
    const error = await ended;
    if (error !== null) throw new Error(error);
  } finally {
    await browser.close();
    await server.close();
  }
}
