import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { chromium, type Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { isolationHeaders } from '../../scripts/build/content-security-policy';
import { chromiumFlags, findChromium } from '../fixtures/chromium';
import { servePlainly } from '../fixtures/servers/plain-server';
import { installPackage } from './installed';

/** Opens a page on a plain server, with the package and a model in the folders `marble` and `ladder-25k`. */
async function inPage(
  project: string,
  files: Record<string, string | Buffer>,
  headers: Record<string, string>,
  use: (page: Page) => Promise<void>,
): Promise<void> {
  const { folder, installed } = await installPackage(project);
  const site = join(folder, 'site');
  mkdirSync(site);
  for (const [name, content] of Object.entries(files)) writeFileSync(join(site, name), content);
  for (const [from, to] of [
    ['browser', 'marble'],
    ['models/ladder-25k', 'ladder-25k'],
  ])
    cpSync(join(installed, 'dist-package', from), join(site, to), { recursive: true });
  const server = await servePlainly(site, '/', headers);
  const browser = await chromium.launch({ executablePath: findChromium(), args: chromiumFlags });
  try {
    const page = await browser.newPage();
    await page.goto(server.address);
    await use(page);
  } finally {
    await browser.close();
    await server.close();
  }
}

it('the package trains in another page, from a plain server', { timeout: 240_000 }, async () => {
  const example = readFileSync(join(import.meta.dirname, '../../examples/page/index.html'));
  await inPage('page', { 'index.html': example }, {}, async (page) => {
    const log = page.locator('#log');
    await expect.poll(() => log.textContent(), { timeout: 200_000 }).toMatch(/done\n$/);
    expect(await log.textContent()).toMatch(/^step 1: reward [\d.-]+\nstep 2: reward [\d.-]+\ndone\n$/);
  });
});

/** Trains for one step on each number of threads and returns hashes of the weights. */
const program = `
  import { loadPolicy, openEngine, presets, train } from './marble/marble.js';
  const here = (path) => new URL(path, location.href).href;
  const preset = presets['ladder-25k'];
  const rollout = { ...preset.rollout, promptsPerStep: 8, samplesPerPrompt: 8 };
  const evaluation = { ...preset.evaluation, items: 4, finalItems: 4 };
  const results = [];
  for (const threads of [1, 2, 4]) {
    const wasmUrl = here('marble/tfjs-backend-wasm-simd.wasm');
    const engine = await openEngine({ backend: 'wasm', wasmUrl, threads });
    const policy = await loadPolicy(engine, { url: here('ladder-25k/') });
    for await (const event of train(engine, policy, { ...preset, rollout, evaluation, steps: 1 }))
      if (event.type === 'failed') results.push(event.error);
    const { parameters } = await policy.state();
    const digest = await crypto.subtle.digest('SHA-256', parameters);
    results.push([engine.threads, Array.from(new Uint8Array(digest)).join()]);
    policy.dispose();
    engine.dispose();
  }
  postMessage(results);
`;

it('a step has the same bits on all threads', { tags: ['long'], timeout: 240_000 }, async () => {
  const files = { 'index.html': '<!doctype html><meta charset="utf-8" />', 'worker.js': program };
  await inPage('threads', files, isolationHeaders, async (page) => {
    const results = await page.evaluate(
      () =>
        new Promise<[number, string][]>((resolve, reject) => {
          const worker = new Worker('worker.js', { type: 'module' });
          worker.onmessage = ({ data }: MessageEvent<[number, string][]>) => resolve(data);
          worker.onerror = ({ message }) => reject(new Error(message));
        }),
    );
    expect(results.map(([threads]) => threads)).toEqual([1, 2, 4]);
    expect(new Set(results.map(([, hash]) => hash)).size).toBe(1);
  });
});
