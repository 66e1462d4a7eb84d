/**
 * The smallest toy takes many steps in a page: a step costs as much memory, storage and DOM at the end as at the beginning.
 * `MARBLE_STEPS=100000` makes the run longer.
 */
import { expect, inject, it } from 'vitest';
import { folderForAll } from '../../fixtures/folder';
import { driveLife } from '../helpers/browser-life';
import { reachStep, shortRun, startRun, status } from '../helpers/visitor';

const steps = Number(process.env.MARBLE_STEPS ?? 12_000);
const folder = folderForAll('many');
/** More steps than are taken, because a run that ends releases its tensors. */
const margin = 1000;
/** Tests that are as rare as the settings allow, and checkpoints as the page makes them. */
const link = shortRun({
  ...{ preset: 'ladder-12k', steps: steps + margin, checkpointEvery: 100_000, 'evaluation.every': 100_000 },
  ...{ 'rollout.promptsPerStep': 2, 'rollout.samplesPerPrompt': 2, 'rollout.maxNewTokens': 8 },
});

/** Bytes of the page and its worker after garbage collection, bytes of its storage, and its elements. Runs in the page. */
async function measure() {
  const { bytes } = await (
    performance as unknown as { measureUserAgentSpecificMemory: () => Promise<{ bytes: number }> }
  ).measureUserAgentSpecificMemory();
  const { usage = 0 } = await navigator.storage.estimate();
  return { bytes, usage, elements: document.querySelectorAll('*').length };
}

it(
  `a run of ${steps} steps in the page keeps its memory within 10 %`,
  { tags: ['long'], timeout: 300_000 + 100 * steps },
  async () => {
    const { page, kill } = await driveLife(folder, inject('address') + link);
    try {
      await startRun(page);
      const looks = [];
      // From a third on, a page holds as many rows at a step as at twice this step. One look is off by some percent.
      for (const part of [0.4, 0.5, 0.8, 1]) {
        await reachStep(page, part * steps, 0);
        await page.getByRole('button', { name: 'Pause' }).dispatchEvent('click');
        await status(page).getByText('Paused after step').waitFor();
        looks.push(await page.evaluate(measure));
        console.log(JSON.stringify(looks.at(-1)));
        await page.getByRole('button', { name: 'Resume', exact: true }).click();
      }
      const [early, middle, late, last] = looks;
      expect((late.bytes + last.bytes) / (early.bytes + middle.bytes)).toBeLessThan(1.1);
      expect(last.elements).toBeLessThan(1.2 * middle.elements);
      expect(last.usage / steps).toBeLessThan(1.2 * (middle.usage / (0.5 * steps)));
    } finally {
      await kill();
    }
  },
);
