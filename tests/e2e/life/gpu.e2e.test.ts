import { describe, expect, it } from 'vitest';
import { measuredAccuracy } from '../../../src/reward/accuracy';
import { withWebGpu } from '../../fixtures/chromium';
import {
  browser,
  finish,
  useFlags,
  openSettings,
  reachStep,
  runToEnd,
  savedEvaluations,
  savedRows,
  shortRun,
  startRun,
  visit,
} from '../helpers/visitor';

// By default, a browser disables the GPU of a page whose GPU process crashes.
useFlags([...withWebGpu, '--disable-gpu-process-crash-limit', '--disable-domain-blocking-for-3d-apis']);

describe('with WebGPU', () => {
  it('prints the backend and the reason, and trains', async () => {
    const page = await visit(shortRun({ steps: 1 }));
    await openSettings(page);
    await page.getByText('This browser offers WebGPU on').waitFor();
    await runToEnd(page, 'automatic');
    await page.getByRole('tab', { name: 'Runs' }).click();
    await page
      .getByText(/Runs on the CPU \(WebAssembly\)\. The processor emulates the GPU here: .*swiftshader/i)
      .waitFor();
  });

  // after three losses: tests/app/session/session.test.ts; at every call of a run:
  // tests/rl/whole-runs/interruption.test.ts
  it('reopens a GPU that was killed, and samples what the CPU does', { tags: ['long'] }, async () => {
    const rows: Record<string, string>[][] = [];
    const accuracies: (number | null)[][] = [];
    for (const backend of ['wasm', 'webgpu'] as const) {
      const page = await visit(shortRun({ steps: 4, 'evaluation.items': 4, 'evaluation.finalItems': 4 }));
      await startRun(page, backend);
      if (backend === 'webgpu') {
        await reachStep(page, 1);
        const devtools = await browser.newBrowserCDPSession();
        const { processInfo } = await devtools.send('SystemInfo.getProcessInfo');
        process.kill(processInfo.find(({ type }) => type === 'GPU')!.id, 'SIGKILL');
        await page
          .locator('.notice')
          .getByText(/^The GPU device was lost/)
          .waitFor();
      }
      await finish(page);
      rows.push(await savedRows(page));
      const evaluations = await savedEvaluations(page);
      accuracies.push(evaluations.map(({ report }) => measuredAccuracy(report.overall)));
    }
    expect(accuracies[1]).toEqual(accuracies[0]);
    const [onCpu, onGpu] = rows;
    for (const metric of ['reward', 'completions/mean_length']) {
      expect(onGpu.map((row) => row[metric])).toEqual(onCpu.map((row) => row[metric]));
    }
    for (const [index, row] of onGpu.entries()) {
      for (const metric of ['entropy', 'grad_norm']) {
        if (row[metric] !== '') expect(Number(row[metric])).toBeCloseTo(Number(onCpu[index][metric]), 3);
      }
    }
  });
});
