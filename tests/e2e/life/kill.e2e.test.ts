/** A run whose process is killed in the middle of a step goes on and leaves the metrics of one that never stopped. */
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { algorithms, type AlgorithmName } from '../../../src/objective/algorithm';
import type { RunConfig } from '../../../src/run/config/config';
import { presets } from '../../../src/run/config/presets';
import { encodeLink } from '../../../src/share/link';
import {
  browser,
  finish,
  openBrowserForAll,
  openPage,
  reachStep,
  savedRows,
  startRun,
} from '../helpers/visitor';
import { sampled } from '../../fixtures/sample';

openBrowserForAll();

/** Enough that the run is far from its end when it is killed. */
const steps = 30;

function configOf(name: AlgorithmName): RunConfig {
  const base = presets['ladder-25k'];
  return {
    ...base,
    algorithm: algorithms[name],
    steps,
    rollout: { ...base.rollout, promptsPerStep: 3, samplesPerPrompt: 4 },
    evaluation: { ...base.evaluation, every: 14, items: 4, finalItems: 4 },
    checkpointEvery: 5,
  };
}

/** Ends the process of the page and its worker at once; nothing in it is told. */
async function killTab(page: Page): Promise<void> {
  const crashed = page.waitForEvent('crash');
  const devtools = await browser.newBrowserCDPSession();
  const { processInfo } = await devtools.send('SystemInfo.getProcessInfo');
  for (const { type, id } of processInfo) if (type === 'renderer') process.kill(id, 'SIGKILL');
  await crashed;
}

describe('a run that is killed in the middle of a step', () => {
  // `npm test` kills the whole browser (sigkill.e2e.test.ts).
  it.skipIf(sampled(true, false)).each(Object.keys(algorithms) as AlgorithmName[])(
    'goes on with the rows of one that never stopped: %s',
    async (name) => {
      const hash = await encodeLink(configOf(name));

      const profile = await browser.newContext();
      const page = await openPage(profile, hash);
      await startRun(page);
      await reachStep(page, 6); // past the first checkpoint, which a slow machine would not reach before the kill
      await killTab(page);
      const again = await openPage(profile);
      const goOn = again.getByRole('button', { name: /^Go on with .* from step \d+$/ });
      await goOn.waitFor();
      const from = Number(/from step (\d+)/.exec(await goOn.innerText())![1]);
      expect(from).toBeLessThan(steps);
      await goOn.click();
      await finish(again);
      const killed = await savedRows(again);
      await profile.close();

      const other = await browser.newContext();
      const undisturbed = await openPage(other, hash);
      await startRun(undisturbed);
      await finish(undisturbed);
      const whole = await savedRows(undisturbed);
      await other.close();

      expect(whole.map(({ step }) => Number(step))).toEqual(Array.from({ length: steps + 1 }, (_, i) => i));
      expect(killed).toEqual(whole);
    },
  );
});
