/**
 * The browser is killed, with all its processes at once, again and again while it trains and keeps a checkpoint at every
 * step; it goes on each time, and the rows are those of a browser that never stopped. `MARBLE_RUN_KILLS=1000` makes it a
 * long run, and `MARBLE_RUN_KILLS_WITH=lora` kills it with an adapter. Sweeps, and files that are kept beside a run, are
 * killed at every call of their storage in tests/workers/killed-runs.test.ts.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import type { Page } from 'playwright-core';
import { describe, expect, inject, it } from 'vitest';
import { createRandom } from '../../../src/base/random';
import { sampled } from '../../fixtures/sample';
import { driveLife } from '../helpers/browser-life';
import { keepSteps, readStored, rowsOf, stepsKept } from '../helpers/stored-run';
import { openBrowser, openPage, shortRun, startRun } from '../helpers/visitor';

const kills = Number(process.env.MARBLE_RUN_KILLS ?? sampled(1, 100));
/** More steps than any machine takes between two kills: the run never ends by itself. */
const stepsPerKill = 1000;
const adapter = { 'training.mode': 'lora', 'training.rank': 4, 'training.alpha': 8 };
const link = shortRun({
  ...{ steps: kills * stepsPerKill, checkpointEvery: 1, 'evaluation.every': 1000 },
  ...(process.env.MARBLE_RUN_KILLS_WITH === 'lora' && adapter),
});

/** The link comes after the choice of the backend, which it does not hold. */
async function beginLife(page: Page): Promise<void> {
  await page.getByLabel('Runs on').selectOption('wasm');
  await page.evaluate((hash) => (location.hash = hash), link);
  await startRun(page);
}

describe('a browser that is killed while it trains', () => {
  it(
    `goes on ${kills} times, loses at most a step, and leaves the rows of one that never stopped`,
    { timeout: 240_000 + kills * 40_000 },
    async () => {
      const profile = mkdtempSync(join(tmpdir(), 'marble-life-'));
      const random = createRandom(5, 0x517);
      const told: { lost: number; seconds: number }[] = [];
      let kill = (): Promise<void> => Promise.resolve();
      try {
        for (let life = 0; life <= kills; life += 1) {
          const driven = await driveLife(profile, `${inject('address')}#run`);
          const { page } = driven;
          ({ kill } = driven);
          let resumedAt = 0;
          if (life === 0) await beginLife(page);
          else {
            const begun = performance.now();
            const [run] = await readStored(page);
            resumedAt = run.checkpointStep ?? 0;
            await page.getByRole('button', { name: /^Go on with .* from step \d+$/ }).click();
            await page.getByRole('button', { name: 'Pause' }).waitFor();
            told.push({ lost: run.step - resumedAt, seconds: (performance.now() - begun) / 1000 });
          }
          await keepSteps(page, resumedAt + 2);
          if (life < kills) {
            await wait(random.uniform() * 600); // anywhere in a step, or in the writing of its checkpoint
            await kill();
            continue;
          }
          const runs = await readStored(page);
          await kill();
          const browser = await openBrowser();
          const undisturbed = await openPage(await browser.newContext());
          await beginLife(undisturbed);
          await keepSteps(undisturbed, stepsKept(runs));
          expect(stepsKept(runs)).toBeGreaterThan(2 * kills);
          const rows = rowsOf(runs).slice(0, stepsKept(runs));
          expect(rowsOf(await readStored(undisturbed)).slice(0, rows.length)).toEqual(rows);
          await browser.close();
        }
      } finally {
        await kill(); // after a failure it still writes
        rmSync(profile, { recursive: true, force: true, maxRetries: 10, retryDelay: 1000 }); // what was killed may still write
      }
      expect(Math.max(...told.map(({ lost }) => lost))).toBeLessThanOrEqual(1);
      const seconds = told.map((life) => life.seconds).sort((a, b) => a - b);
      console.log(`${kills} kills, none lost; training again after ${seconds.at(-1)!.toFixed(1)} s at most`);
    },
  );
});
