/**
 * The browser is killed, with all its processes at once, again and again while a run trains and keeps a checkpoint at every
 * step; it goes on each time, and the rows are those of a run that never stopped. `MARBLE_RUN_KILLS=1000` makes it a long run.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { describe, expect, inject, it } from 'vitest';
import { createRandom } from '../../src/random';
import { driveLife } from './browser-life';
import { keepCheckpoint, readStored, rowsOf } from './stored-run';
import { openBrowser, openPage, shortRun, startRun } from './visitor';

const kills = Number(process.env.MARBLE_RUN_KILLS ?? 10);
/** More steps than any machine takes between two kills: the run never ends by itself. */
const stepsPerKill = 1000;

describe('a browser that is killed while a run trains', () => {
  it(
    `goes on ${kills} times, loses at most a step, and leaves the rows of one that never stopped`,
    { timeout: 240_000 + kills * 40_000 },
    async () => {
      const link = shortRun({
        steps: kills * stepsPerKill,
        checkpointEvery: 1,
        'evaluation.every': 1000,
      });
      const profile = mkdtempSync(join(tmpdir(), 'marble-life-'));
      const random = createRandom(5, 0x517);
      const told: { lost: number; seconds: number }[] = [];
      try {
        for (let life = 0; life <= kills; life += 1) {
          const { page, kill } = await driveLife(profile, inject('address') + (life === 0 ? link : ''));
          let resumedAt = 0;
          if (life === 0) await startRun(page);
          else {
            const begun = performance.now();
            const goOn = page.getByRole('button', { name: /^Go on with .* from step \d+$/ });
            await goOn.waitFor();
            const { step, checkpointStep } = await page.evaluate(readStored);
            resumedAt = checkpointStep!;
            await goOn.click();
            await page.getByRole('button', { name: 'Pause' }).waitFor();
            told.push({ lost: step - resumedAt, seconds: (performance.now() - begun) / 1000 });
          }
          await keepCheckpoint(page, resumedAt + 2);
          await wait(random.uniform() * 600); // anywhere in a step, or in the writing of its checkpoint
          if (life < kills) {
            await kill();
            continue;
          }
          const rows = await rowsOf(page);
          await kill();
          const browser = await openBrowser();
          const undisturbed = await openPage(await browser.newContext(), link);
          await startRun(undisturbed);
          await keepCheckpoint(undisturbed, rows.length);
          expect(rows.length).toBeGreaterThan(2 * kills);
          expect((await rowsOf(undisturbed)).slice(0, rows.length)).toEqual(rows);
          await browser.close();
        }
      } finally {
        rmSync(profile, { recursive: true, force: true, maxRetries: 10 });
      }
      expect(Math.max(...told.map(({ lost }) => lost))).toBeLessThanOrEqual(1);
      const seconds = told.map((life) => life.seconds).sort((a, b) => a - b);
      console.log(`${kills} kills, none lost; training again after ${seconds.at(-1)!.toFixed(1)} s at most`);
    },
  );
});
