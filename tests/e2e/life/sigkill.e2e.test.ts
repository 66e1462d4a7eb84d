/**
 * The browser is killed, with all its processes at once, again and again while it trains and keeps a checkpoint at every
 * step; it goes on each time, and the rows are those of a browser that never stopped. `MARBLE_RUN_KILLS=1000` makes it a
 * long run, and `MARBLE_RUN_KILLS_WITH=lora` (or `sweep`, or `import`) kills it with an adapter, in a sweep of short runs
 * (25 kills at most: a link varies 50 seeds), or while a data set is being kept.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import type { Page } from 'playwright-core';
import { describe, expect, inject, it } from 'vitest';
import { createRandom } from '../../../src/base/random';
import { itemsOf } from '../../tom/items';
import { sampled } from '../../fixtures/sample';
import { driveLife } from '../helpers/browser-life';
import { keepSteps, readStored, rowsOf, stepsKept } from '../helpers/stored-run';
import { fileOf, openBrowser, openPage, place, shortRun, startRun } from '../helpers/visitor';

const kills = Number(process.env.MARBLE_RUN_KILLS ?? sampled(1, 100));
/** More steps than any machine takes between two kills: the run never ends by itself. */
const stepsPerKill = 1000;
const ITEMS_OF_DATA = 2000;

interface Setting {
  link: string;
  /** Presses what begins the training of the link, and what goes on with it in a later life. */
  begin: (page: Page) => Promise<void>;
  goOn: (page: Page) => Promise<void>;
  /** Begins something beside the training. */
  beside?: (page: Page, life: number) => Promise<void>;
  /** At the end. */
  check?: (page: Page) => Promise<void>;
}

const always = { steps: kills * stepsPerKill, checkpointEvery: 1, 'evaluation.every': 1000 };

const run: Setting = {
  link: shortRun(always),
  begin: (page) => startRun(page),
  async goOn(page) {
    await page.getByRole('button', { name: /^Go on with .* from step \d+$/ }).click();
    await page.getByRole('button', { name: 'Pause' }).waitFor();
  },
};

const settings: Record<string, Setting> = {
  run,
  lora: {
    ...run,
    link: shortRun({ ...always, 'training.mode': 'lora', 'training.rank': 4, 'training.alpha': 8 }),
  },
  sweep: {
    link: `${shortRun({ ...always, steps: 10 })}&sweep.seed=${Array.from({ length: 2 * kills }, (_, index) => index + 1).join()}`,
    async begin(page) {
      await page.getByRole('button', { name: 'Start the sweep' }).click();
    },
    async goOn(page) {
      await place(page, 'Sweeps').click();
      await page.getByRole('button', { name: /^Go on with/ }).click();
      await page.getByText(/^Run \d+ of \d+: /).waitFor();
    },
  },
  import: {
    ...run,
    async beside(page, life) {
      const rows = itemsOf('swap', ITEMS_OF_DATA, life + 1, { orders: [0, 1, 2] });
      const text = rows.map(({ story, question, answer, order }) =>
        JSON.stringify({ story, question, answer, order }),
      );
      await place(page, 'Data').click();
      await page.getByLabel('Choose a file').setInputFiles(fileOf(`data-${life}.jsonl`, text.join('\n')));
      await page.getByRole('button', { name: /^Import .* rows?$/ }).click();
    },
    async check(page) {
      await place(page, 'Data').click();
      await page.locator('.datasets li').first().waitFor();
      const sets = await page.locator('.datasets li').allInnerTexts();
      console.log(`${sets.length} data sets kept`);
      const whole = ITEMS_OF_DATA.toLocaleString('en');
      expect(sets.filter((set) => !set.includes(`${whole} questions`))).toEqual([]);
    },
  },
};

const name = process.env.MARBLE_RUN_KILLS_WITH ?? 'run';
const { link, begin, goOn, beside, check } = settings[name];

/** The link comes after the choice of the backend, which it does not hold. */
async function beginLife(page: Page): Promise<void> {
  await page.getByLabel('Runs on').selectOption('wasm');
  await page.evaluate((hash) => (location.hash = hash), link);
  await begin(page);
}

describe('a browser that is killed while it trains', () => {
  it(
    `goes on ${kills} times (${name}), loses at most a step, and leaves the rows of one that never stopped`,
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
            const runs = await readStored(page);
            resumedAt = stepsKept(runs);
            await goOn(page);
            const steps = runs.reduce((sum, { step }) => sum + step, 0);
            told.push({ lost: steps - resumedAt, seconds: (performance.now() - begun) / 1000 });
          }
          await keepSteps(page, resumedAt + 2);
          if (life < kills) {
            await beside?.(page, life);
            await wait(random.uniform() * 600); // anywhere in a step, or in the writing of its checkpoint
            await kill();
            continue;
          }
          await check?.(page);
          const runs = await readStored(page);
          await kill();
          const browser = await openBrowser();
          const undisturbed = await openPage(await browser.newContext());
          await beginLife(undisturbed);
          await keepSteps(undisturbed, stepsKept(runs));
          const others = await readStored(undisturbed);
          expect(stepsKept(runs)).toBeGreaterThan(2 * kills);
          for (const { seed, checkpointStep } of runs) {
            const rows = rowsOf(runs, seed).slice(0, checkpointStep ?? 0);
            expect([seed, rowsOf(others, seed).slice(0, rows.length)]).toEqual([seed, rows]);
          }
          await browser.close();
        }
      } finally {
        await kill(); // after a failure it still writes
        rmSync(profile, { recursive: true, force: true, maxRetries: 10, retryDelay: 1000 }); // what was killed may still write
      }
      expect(Math.max(...told.map(({ lost }) => lost))).toBeLessThanOrEqual(1);
      const seconds = told.map((life) => life.seconds).sort((a, b) => a - b);
      console.log(
        `${name}: ${kills} kills, none lost; training again after ${seconds.at(-1)!.toFixed(1)} s at most`,
      );
    },
  );
});
