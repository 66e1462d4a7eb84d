import type { Browser } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import {
  finish,
  openBrowser,
  openPage,
  savedRows,
  shortRun,
  startButton,
  startRun,
  failOnFaults,
  withoutWebGpu,
} from '../helpers/visitor';

failOnFaults();

async function inBrowser(
  test: (browser: Browser) => Promise<void>,
  flags?: readonly string[],
): Promise<void> {
  const browser = await openBrowser(flags);
  try {
    await test(browser);
  } finally {
    await browser.close();
  }
}

describe('without WebGPU', () => {
  it('says so, what to do when the GPU is asked for, and trains on the CPU', async () => {
    await inBrowser(async (browser) => {
      const page = await openPage(await browser.newContext(), shortRun({ steps: 2 }));
      await page.getByText('This browser offers no WebGPU, so the CPU will do it.').waitFor();
      await startRun(page, 'webgpu');
      const screen = page.getByRole('alert');
      await screen.getByRole('heading', { name: 'This browser gives Marble no GPU' }).waitFor();
      expect(await screen.innerText()).toContain('gpu/no-webgpu');
      await screen.getByRole('button', { name: 'Use the CPU instead' }).click();
      await startButton(page).click();
      await finish(page);
      await page.getByText('Runs on the CPU (WebAssembly)').waitFor();
    }, withoutWebGpu);
  });
});

describe('with WebGPU', () => {
  it('times the backends, says which it took and why, and trains', async () => {
    await inBrowser(async (browser) => {
      const page = await openPage(await browser.newContext(), shortRun({ steps: 1 }));
      await page.getByText('This browser offers WebGPU on').waitFor();
      await startRun(page, 'automatic');
      await finish(page);
      const words = await page.locator('.run-panel .facts').innerText();
      expect(words).toMatch(
        /Timed here before the run: webgpu \(.+\) about [\d.]+ s per step, wasm about [\d.]+ s per step/,
      );
    });
  });

  it('samples the same answers on the GPU as on the CPU', async () => {
    await inBrowser(async (browser) => {
      const rows = [];
      for (const backend of ['wasm', 'webgpu'] as const) {
        const profile = await browser.newContext();
        const page = await openPage(
          profile,
          shortRun({ steps: 2, 'evaluation.items': 4, 'evaluation.finalItems': 4 }),
        );
        await startRun(page, backend);
        await finish(page);
        rows.push(await savedRows(page));
        await profile.close();
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
});
