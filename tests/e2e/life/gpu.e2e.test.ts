import { describe, expect, it } from 'vitest';
import { finish, openBrowserForAll, savedRows, shortRun, startRun, visit } from '../helpers/visitor';

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

  it('samples the same answers on the GPU as on the CPU', async () => {
    const rows: Record<string, string>[][] = [];
    for (const backend of ['wasm', 'webgpu'] as const) {
      const page = await visit(shortRun({ steps: 2, 'evaluation.items': 4, 'evaluation.finalItems': 4 }));
      await startRun(page, backend);
      await finish(page);
      rows.push(await savedRows(page));
    }
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
