import { cpSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { chromium } from 'playwright-core';
import { expect, it } from 'vitest';
import { isolationHeaders } from '../../scripts/build/content-security-policy';
import { chromiumFlags, findChromium } from '../fixtures/chromium';
import { servePlainly } from '../fixtures/servers/plain-server';
import { installPackage } from './installed';

/** Trains for one step on each number of threads and returns hashes of the weights. */
const program = `
  import { loadPolicy, openEngine, presets, train } from './marble/marble.js';
  const here = (path) => new URL(path, location.href).href;
  const preset = presets['ladder-25k'];
  const rollout = { ...preset.rollout, promptsPerStep: 8, samplesPerPrompt: 8 };
  const evaluation = { ...preset.evaluation, items: 4, finalItems: 4, validationItems: 0 };
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
  const { folder, installed } = await installPackage('threads');
  const site = join(folder, 'site');
  mkdirSync(site);
  writeFileSync(join(site, 'index.html'), '<!doctype html><meta charset="utf-8" />');
  writeFileSync(join(site, 'worker.js'), program);
  cpSync(join(installed, 'dist-package', 'browser'), join(site, 'marble'), { recursive: true });
  const model = join(installed, 'dist-package', 'models', 'ladder-25k');
  cpSync(model, join(site, 'ladder-25k'), { recursive: true });
  const server = await servePlainly(site, '/', isolationHeaders);
  const browser = await chromium.launch({ executablePath: findChromium(), args: chromiumFlags });
  try {
    const page = await browser.newPage();
    await page.goto(server.address);
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
  } finally {
    await browser.close();
    await server.close();
  }
});
