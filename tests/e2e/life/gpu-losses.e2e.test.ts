/**
 * The browser's GPU process is killed repeatedly while a run trains on WebGPU: during sampling, in the backward pass,
 * at a checkpoint, in an evaluation. Runs in `npm run test:slow` (gpu.e2e.test.ts tests one loss in every run);
 * `MARBLE_GPU_LOSSES=50` prolongs it.
 */
import { setTimeout as wait } from 'node:timers/promises';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { createRandom } from '../../../src/base/random';
import { withWebGpu } from '../../fixtures/chromium';
import { sampled } from '../../fixtures/sample';
import { keepSteps, readStored, rowsOf, stepsKept } from '../helpers/stored-run';
import { beforeWorker, openBrowser, openPage, shortRun, startRun } from '../helpers/visitor';

const losses = Number(process.env.MARBLE_GPU_LOSSES ?? sampled(0, 50));
const points = ['update', 'checkpoint', 'rollout', 'evaluate'] as const;
/** After a third loss within ten minutes the page suggests a smaller model, until it is reloaded. */
const LOSSES_OF_A_PAGE = 2;
const checkpointEvery = 2;
const link = shortRun({ steps: 10_000, checkpointEvery, 'evaluation.every': 3 });

/** Runs before the trainer's worker, and prints the messages of the worker to the console. */
const tellPhases = `{
  const post = MessagePort.prototype.postMessage;
  MessagePort.prototype.postMessage = function (message, ...rest) {
    const event = message?.argumentList?.[0]?.value;
    if (event?.type === 'progress') console.debug('at ' + event.phase);
    if (event?.type === 'run') console.debug('at run ' + event.kept.steps.length);
    if (event?.type === 'step') console.debug('at checkpoint');
    return post.call(this, message, ...rest);
  };
}`;

let browser: Browser;
beforeAll(async () => {
  // By default, a browser disables the GPU after this many crashes.
  browser = await openBrowser([
    ...withWebGpu,
    '--disable-gpu-process-crash-limit',
    '--disable-domain-blocking-for-3d-apis',
  ]);
});
afterAll(() => browser.close());

/** Resolves with a message of the worker that satisfies `is`; an error screen fails the test. */
function arrival(page: Page, is: (at: string) => boolean): Promise<string> {
  return new Promise((resolve, reject) => {
    const listen = (message: { text: () => string }): void => {
      const at = /^at (.*)$/.exec(message.text())?.[1];
      if (at === undefined || !is(at)) return;
      page.off('console', listen);
      clearTimeout(timer);
      resolve(at);
    };
    const timer = setTimeout(() => {
      page.off('console', listen);
      const words = page.locator('.screen, .run-panel').allInnerTexts();
      void words.then((shown) => reject(new Error(`The page shows: ${shown.join(' ')}`)));
    }, 180_000);
    page.on('console', listen);
  });
}

async function killGpu(): Promise<void> {
  const devtools = await browser.newBrowserCDPSession();
  const { processInfo } = await devtools.send('SystemInfo.getProcessInfo');
  process.kill(processInfo.find(({ type }) => type === 'GPU')!.id, 'SIGKILL');
  await devtools.detach();
}

const stepsOf = (page: Page): Promise<number> =>
  page.evaluate(() => document.querySelector<HTMLProgressElement>('.run-panel progress')?.value ?? 0);

/** Every step starts by sampling, including a repeated one. */
const samples = (at: string): boolean => at === 'rollout';

interface Loss {
  at: string;
  seconds: number;
  repeated: number;
}

describe.skipIf(losses === 0)('a run whose GPU is lost', () => {
  it(
    `${losses} times continues by itself, repeats at most ${checkpointEvery} steps, and gives the rows of a run without losses`,
    { timeout: 240_000 + losses * 120_000 },
    async () => {
      const profile = await browser.newContext();
      await beforeWorker(profile, tellPhases);
      const page = await openPage(profile, link);
      const random = createRandom(11, 0x105e);
      const recoveries: Loss[] = [];
      await startRun(page, 'webgpu');
      await keepSteps(page, 1);
      for (let loss = 0; loss < losses; loss += 1) {
        if (loss > 0 && loss % LOSSES_OF_A_PAGE === 0) {
          await keepSteps(page, (await stepsOf(page)) + 1);
          await page.goto('about:blank');
          await page.goto(`${inject('address')}#run`);
          const begun = arrival(page, samples);
          await page.getByRole('button', { name: /^Resume .* from step \d+$/ }).click();
          await begun;
        }
        const at = points[loss % points.length];
        await arrival(page, (each) => each === at);
        await wait(random.uniform() * 300);
        const taken = await stepsOf(page);
        const killed = performance.now();
        const opened = arrival(page, (each) => each.startsWith('run '));
        const again = opened.then(() => arrival(page, samples));
        await killGpu();
        const steps = Number((await opened).slice('run '.length));
        await again;
        if (loss === 0) await page.getByText('The GPU was taken away.').waitFor();
        const seconds = (performance.now() - killed) / 1000;
        const repeated = taken - steps;
        recoveries.push({ at, seconds, repeated });
        console.log(`${at}: sampling again after ${seconds.toFixed(1)} s, ${repeated} steps repeated`);
      }
      await keepSteps(page, (await stepsOf(page)) + 1);
      const runs = await readStored(page);
      const rows = rowsOf(runs).slice(0, stepsKept(runs));
      await profile.close();

      const other = await browser.newContext();
      const undisturbed = await openPage(other, link);
      await startRun(undisturbed, 'webgpu');
      await keepSteps(undisturbed, rows.length);
      expect(rowsOf(await readStored(undisturbed)).slice(0, rows.length)).toEqual(rows);
      await other.close();
      expect(Math.max(...recoveries.map(({ repeated }) => repeated))).toBeLessThanOrEqual(checkpointEvery);
    },
  );
});
