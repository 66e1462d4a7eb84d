/** A step of the real model gives the same bits on any number of threads, in Node and in Chromium. */
import { cpSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { chromium } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { modelFiles } from '../../scripts/pretrain/model-folder';
import { loadPolicy, openEngine, type Policy } from '../../src/index';
import { chromiumFlags, findChromium } from '../fixtures/chromium';
import { folderForAll } from '../fixtures/folder';
import { servePlainly } from '../fixtures/servers/plain-server';
import { installPackage } from '../package/installed';
import { hasRealModel, writeRealModel } from './model';

/**
 * SHA-256 of a step's inputs and outputs: samples of two prompts, reference, gradients and the trained adapter. Also
 * runs in a worker, to which it is sent as text, so it must use only its argument.
 */
async function hashStep(policy: Policy): Promise<string> {
  const prompts = [
    'Where is the key?',
    'Anna left the room. Ben moved the ball to the box. Where is it now?',
  ].map((content) => policy.tokenizer!.chat([{ role: 'user', content }]));
  const passed: ArrayLike<number>[] = [];
  policy.freezeReference();
  const sampling = { samplesPerPrompt: 2, maxNewTokens: 12, temperature: 1, seed: 1, stream: 1, stopIds: [] };
  const samples = await policy.generate(prompts, sampling);
  for (const { tokens, logprobs } of samples) passed.push(tokens, logprobs);
  const sequences = samples.map(({ tokens }, i) => [...prompts[i >> 1], ...tokens]);
  const lengths = samples.map((_, i) => prompts[i >> 1].length);
  passed.push(...(await policy.logprobs(sequences, lengths, { adapter: 'off' })).logprobs);
  await policy.backward(sequences, lengths, {
    objective: ({ logprobs }) => ({ logprobs: logprobs.map((row, i) => row.map(() => (i - 1.5) / 48)) }),
  });
  passed.push(...Object.values(await policy.gradients()));
  const rates = { learningRate: 1e-3, beta1: 0.9, beta2: 0.95, epsilon: 1e-8, weightDecay: 0 };
  await policy.update({ ...rates, maxGradNorm: 1 });
  passed.push((await policy.state()).parameters);
  const bytes = new Uint8Array(await new Blob(passed.map((row) => Float32Array.from(row))).arrayBuffer());
  const hash = new Uint8Array(await crypto.subtle.digest('SHA-256', bytes));
  return Array.from(hash, (byte) => byte.toString(16).padStart(2, '0')).join('');
}

const html = `<!doctype html>
<input type="file" multiple>
<script>
  globalThis.hashOf = (threads) =>
    new Promise((resolve, reject) => {
      const worker = new Worker('worker.js', { type: 'module' });
      worker.onmessage = ({ data }) => (worker.terminate(), data.error ? reject(new Error(data.error)) : resolve(data));
      worker.postMessage({ threads, files: [...document.querySelector('input').files] });
    });
</script>`;

const workerCode = `import { loadPolicy, openEngine } from './marble/marble.js';
const hashStep = ${hashStep.toString()};
onmessage = async ({ data: { threads, files } }) => {
  try {
    const wasmUrl = new URL('marble/tfjs-backend-wasm-simd.wasm', location.href).href;
    const engine = await openEngine({ backend: 'wasm', wasmUrl, threads });
    const source = { files: Object.fromEntries(files.map((file) => [file.name, file])) };
    const policy = await loadPolicy(engine, source, { lora: { rank: 8, alpha: 16 } });
    postMessage({ threads: engine.threads, fma: engine.fma, hash: await hashStep(policy) });
  } catch (error) {
    postMessage({ error: String(error) });
  }
};`;

const isolated = {
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-embedder-policy': 'require-corp',
};

describe.skipIf(!hasRealModel())('a step of SmolLM2-135M-Instruct', () => {
  const model = folderForAll('real-threads');
  beforeAll(() => writeRealModel(model));

  it('has the same bits on 1, 2 and 4 threads, in Node and in Chromium', async () => {
    const results: { threads: number; fma: boolean; hash: string }[] = [];
    for (const threads of [1, 2, 4]) {
      const engine = await openEngine({ backend: 'wasm', threads });
      const policy = await loadPolicy(
        engine,
        { files: await modelFiles(model) },
        { lora: { rank: 8, alpha: 16 } },
      );
      results.push({ threads: engine.threads, fma: engine.fma, hash: await hashStep(policy) });
      policy.dispose();
      engine.dispose();
    }

    const { installed, folder: site } = await installPackage('real-threads-page');
    cpSync(join(installed, 'dist-package', 'browser'), join(site, 'marble'), { recursive: true });
    writeFileSync(join(site, 'index.html'), html);
    writeFileSync(join(site, 'worker.js'), workerCode);
    const server = await servePlainly(site, '/', isolated);
    const browser = await chromium.launch({ executablePath: findChromium(), args: chromiumFlags });
    try {
      const page = await browser.newPage();
      await page.goto(server.address);
      await page.locator('input').setInputFiles(readdirSync(model).map((name) => join(model, name)));
      for (const threads of [1, 2, 4]) results.push(await page.evaluate(`hashOf(${threads})`));
    } finally {
      await browser.close();
      await server.close();
    }

    const { fma, hash } = results[0];
    expect(results).toEqual([1, 2, 4, 1, 2, 4].map((threads) => ({ threads, fma, hash })));
  });
});
