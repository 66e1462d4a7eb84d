import { describe, expect, it } from 'vitest';
import {
  beforeWorker,
  finish,
  newProfile,
  openBrowserForAll,
  openPage,
  savedRows,
  shortRun,
  startRun,
  visit,
} from '../helpers/visitor';

openBrowserForAll();

describe('with WebGPU', () => {
  it('times the backends, says which it took and why, and trains', async () => {
    const page = await visit(shortRun({ steps: 1 }));
    await page.getByText('This browser offers WebGPU on').waitFor();
    await startRun(page, 'automatic');
    await finish(page);
    await page.getByRole('tab', { name: 'Settings' }).click();
    await page
      .getByText(
        /Timed here before the run: webgpu \(.+\) about [\d.]+ s per step, wasm about [\d.]+ s per step/,
      )
      .waitFor();
  });

  // where it is lost while it trains: gpu-losses.e2e.test.ts; after three losses: tests/app/session/session.test.ts
  it('opens a GPU again that is taken away, and samples the same answers as the CPU', async () => {
    const profile = await newProfile();
    await beforeWorker(
      profile,
      `const request = GPUAdapter.prototype.requestDevice;
       GPUAdapter.prototype.requestDevice = async function (wish) {
         const device = await request.call(this, wish);
         console.debug('a device is open');
         if (await caches.has('lost')) return device;
         await caches.open('lost'); // for the worker that comes after this one
         const submit = device.queue.submit.bind(device.queue);
         let left = 40;
         device.queue.submit = (buffers) => {
           submit(buffers);
           if (--left === 0) device.destroy();
         };
         return device;
       }`,
    );
    let opened = 0;
    const rows: Record<string, string>[][] = [];
    for (const backend of ['wasm', 'webgpu'] as const) {
      const link = shortRun({ steps: 2, 'evaluation.items': 4, 'evaluation.finalItems': 4 });
      const page = await openPage(profile, link);
      page.on('console', (message) => (opened += message.text() === 'a device is open' ? 1 : 0));
      await startRun(page, backend);
      if (backend === 'webgpu') await page.locator('.notice').getByText('The GPU was taken away.').waitFor();
      await finish(page);
      rows.push(await savedRows(page));
      await page.close();
    }
    expect(opened).toBeGreaterThanOrEqual(2);
    const [onCpu, onGpu] = rows;
    for (const metric of ['reward', 'completions/mean_length', 'eval/accuracy']) {
      expect(onGpu.map((row) => row[metric])).toEqual(onCpu.map((row) => row[metric]));
    }
    for (const [index, row] of onGpu.entries()) {
      for (const metric of ['entropy', 'grad_norm']) {
        if (row[metric] !== '') expect(Number(row[metric])).toBeCloseTo(Number(onCpu[index][metric]), 3);
      }
    }
  });
});
