/** A tab that is closed in each phase of a run on the real model: another tab resumes the run to the same rows. */
import type { BrowserContext, Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { keepSteps, readStored, rowsOf } from '../e2e/helpers/stored-run';
import {
  keptRuns,
  newProfile,
  openBrowserForAll,
  openPage,
  reachStep,
  startRun,
} from '../e2e/helpers/visitor';
import { sharedPath } from '../fixtures/shared';
import { hasRealModel, realModelFile } from './model';

/** Two steps with four answers each, with a reference phase. */
const settings = {
  'model.kind': 'files',
  'model.name': 'smollm2',
  'data.rho': 0.5,
  'algorithm.name': 'reinforce++',
  'rollout.promptsPerStep': 2,
  'rollout.samplesPerPrompt': 2,
  'rollout.maxNewTokens': 24,
  steps: 2,
  'evaluation.items': 1,
  'evaluation.finalItems': 1,
  'evaluation.hardItems': 0,
  checkpointEvery: 1,
};
const link = `#preset=first-run-135m${Object.entries(settings).map(([name, value]) => `&${name}=${encodeURIComponent(value)}`).join('')}`; // prettier-ignore

/** Starts the run, after the question for the model's files. */
async function begin(page: Page): Promise<void> {
  await page
    .locator('.start')
    .getByLabel('Choose the model’s files')
    .setInputFiles([sharedPath(realModelFile)]);
  await startRun(page);
  await page.locator('.screen').getByRole('button', { name: 'Train', exact: true }).click();
}

/** Resumes the stored run; the page asks for the files in place. */
async function resume(page: Page): Promise<void> {
  await (await keptRuns(page)).getByRole('button', { name: /^Resume from step/ }).click();
  await page.locator('.screen input[accept]').setInputFiles([sharedPath(realModelFile)]);
}

const says = (page: Page, words: RegExp) => page.locator('.run-panel .phase').getByText(words).waitFor();
const moments: Record<string, (page: Page) => Promise<unknown>> = {
  'while step 1 changes the model': (page) => says(page, /learning/),
  'after step 1 is stored': (page) => keepSteps(page, 1),
  'while step 2 changes the model': async (page) => {
    await reachStep(page, 1);
    await says(page, /learning/);
  },
  'after the last step, before the run has ended': (page) => reachStep(page, 2),
};

/** Waits for the end of the run, and returns its rows. */
async function rowsIn(page: Page) {
  const ended = async () => (await readStored(page)).filter(({ checkpointStep }) => checkpointStep === 2);
  await expect.poll(async () => (await ended()).length, { timeout: 600_000 }).toBeGreaterThan(0);
  return rowsOf(await ended());
}

describe.skipIf(!hasRealModel())('a run of SmolLM2-135M-Instruct in a tab', () => {
  openBrowserForAll();

  it('gives the rows of an uninterrupted run after its tab was closed in any phase', async () => {
    const undisturbed = await openPage(await newProfile(), link);
    await begin(undisturbed);
    const expected = await rowsIn(undisturbed);
    expect(expected).toHaveLength(2);
    for (const [moment, reached] of Object.entries(moments)) {
      const profile: BrowserContext = await newProfile();
      const first = await openPage(profile, link);
      await begin(first);
      await reached(first);
      await first.close();

      const second = await openPage(profile, link);
      const [kept] = await readStored(second);
      if (kept?.checkpointStep == null) await begin(second);
      else if (kept.checkpointStep < 2) await resume(second);
      expect(await rowsIn(second), moment).toEqual(expected);
      console.log(`${moment}: ${kept === undefined ? 'nothing' : `step ${kept.checkpointStep}`} was stored`);
      await profile.close();
    }
  });
});
