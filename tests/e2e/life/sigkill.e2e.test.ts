/**
 * The browser is killed repeatedly, with all its processes at once, while it trains with a checkpoint at every step. It
 * resumes each time, and the rows equal those of a browser that never stopped. `MARBLE_RUN_KILLS=1000` makes the test
 * longer, and `MARBLE_RUN_KILLS_WITH=lora` uses an adapter. tests/workers/killed-runs.test.ts kills sweeps at every call
 * of their storage.
 *
 * @module-tag long
 */
import { setTimeout as wait } from 'node:timers/promises';
import type { Page } from 'playwright-core';
import { describe, expect, inject, it } from 'vitest';
import { createRandom } from '../../../src/base/random';
import { folderForAll } from '../../fixtures/folder';
import { sampled } from '../../fixtures/sample';
import { driveLife } from '../helpers/browser-life';
import { keepSteps, readStored, rowsOf, stepsKept } from '../helpers/stored-run';
import { chooseBackend, shortRun, startRun, visit } from '../helpers/visitor';

const kills = Number(process.env.MARBLE_RUN_KILLS ?? sampled(1, 100));
/** More steps than any machine completes between two kills, so that the run never ends. */
const stepsPerKill = 1000;
const adapter = { 'training.mode': 'lora', 'training.rank': 4, 'training.alpha': 8 };
const link = shortRun({
  ...{ steps: kills * stepsPerKill, checkpointEvery: 1, 'evaluation.every': 1000 },
  ...(process.env.MARBLE_RUN_KILLS_WITH === 'lora' && adapter),
});

/** The link comes after the choice of the backend, which it does not contain. */
async function beginLife(page: Page): Promise<void> {
  await chooseBackend(page, 'wasm');
  await page.evaluate((hash) => (location.hash = hash), link);
  await startRun(page);
}

describe('a browser that is killed while it trains', () => {
  const profile = folderForAll('life');

  it(
    `resumes ${kills} times, loses at most one step, and gives the rows of a run that never stopped`,
    { timeout: 240_000 + kills * 40_000 },
    async () => {
      const random = createRandom(5, 0x517);
      const resumptions: { lost: number; seconds: number }[] = [];
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
            await page.getByRole('button', { name: /^Resume .* from step \d+$/ }).click();
            await page.getByRole('button', { name: 'Pause' }).waitFor();
            resumptions.push({ lost: run.step - resumedAt, seconds: (performance.now() - begun) / 1000 });
          }
          await keepSteps(page, resumedAt + 2);
          if (life < kills) {
            await wait(random.uniform() * 600); // anywhere in a step or in the writing of its checkpoint
            await kill();
            continue;
          }
          const runs = await readStored(page);
          await kill();
          const undisturbed = await visit();
          await beginLife(undisturbed);
          await keepSteps(undisturbed, stepsKept(runs));
          expect(stepsKept(runs)).toBeGreaterThan(2 * kills);
          const rows = rowsOf(runs).slice(0, stepsKept(runs));
          expect(rowsOf(await readStored(undisturbed)).slice(0, rows.length)).toEqual(rows);
        }
      } finally {
        await kill(); // after a failure the browser may still write
      }
      expect(Math.max(...resumptions.map(({ lost }) => lost))).toBeLessThanOrEqual(1);
      const seconds = resumptions.map((life) => life.seconds).sort((a, b) => a - b);
      console.log(
        `${kills} kills, no run lost; training again after at most ${seconds.at(-1)!.toFixed(1)} s`,
      );
    },
  );
});
