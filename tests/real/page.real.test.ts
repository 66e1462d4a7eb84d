import { cpSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { chromium } from 'playwright-core';
import { beforeAll, describe, it } from 'vitest';
import type { Policy } from '../../src/index';
import { chromiumFlags, findChromium, withWebGpu } from '../fixtures/chromium';
import { folderForAll } from '../fixtures/folder';
import { servePlainly } from '../fixtures/servers/plain-server';
import { installPackage } from '../package/installed';
import { answerOf, expectGolden, questionsFor } from './golden';
import { hasRealModel, writeRealModel } from './model';

const html = `<!doctype html>
<input type="file" multiple>
<script type="module">
  import { loadPolicy, openEngine } from './marble/marble.js';
  globalThis.load = async () => {
    const files = [...document.querySelector('input').files].map((file) => [file.name, file]);
    const engine = await openEngine({ backend: 'webgpu' });
    return loadPolicy(engine, { files: Object.fromEntries(files) }, { lora: { rank: 4, alpha: 8 } });
  };
</script>`;

// On wasm, `first-run.real.test.ts` compares the bits with those of Node.
describe.skipIf(!hasRealModel())('SmolLM2-135M-Instruct in Chromium', () => {
  const model = folderForAll('real-model');
  const site = folderForAll('real-site');
  beforeAll(async () => {
    writeRealModel(model);
    const { installed } = await installPackage('real-page');
    cpSync(join(installed, 'dist-package', 'browser'), join(site, 'marble'), { recursive: true });
    writeFileSync(join(site, 'index.html'), html);
  });

  it('gives PyTorch’s answers on WebGPU', async () => {
    const server = await servePlainly(site);
    const browser = await chromium.launch({
      executablePath: findChromium(),
      args: [...chromiumFlags, ...withWebGpu],
    });
    try {
      const page = await browser.newPage();
      await page.goto(server.address);
      const files = readdirSync(model).map((name) => join(model, name));
      await page.locator('input').setInputFiles(files);
      const policy = await page.evaluateHandle<Policy>('load()');
      for (const question of questionsFor(true))
        expectGolden(question, await policy.evaluate(answerOf, question));
    } finally {
      await browser.close();
      await server.close();
    }
  });
});
