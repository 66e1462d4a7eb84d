/** The browser suspends a tab that trains: it is hidden behind another one, and frozen. */
import { setTimeout as wait } from 'node:timers/promises';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { folderForAll } from '../../fixtures/folder';
import { driveLife, type DrivenLife } from '../helpers/browser-life';
import { readStored, stepsKept } from '../helpers/stored-run';
import { heldLocks, listedRuns } from '../helpers/tab';
import { openPage, reachStep, shortRun, startButton, startRun } from '../helpers/visitor';

const folder = folderForAll('asleep');
let life: DrivenLife;
let trainer: Page;
/** In the same profile, in front of the tab that trains. */
let other: Page;

/** The first step makes a checkpoint; no later one is due by the number of steps. */
const link = shortRun({ steps: 10_000, checkpointEvery: 10_000, 'evaluation.every': 10_000 });

beforeAll(async () => {
  life = await driveLife(folder, inject('address') + link);
  trainer = life.page;
  await startRun(trainer);
  await reachStep(trainer, 3);
});
afterAll(() => life.kill());

/** Number of steps in the tab's progress bar, which a hidden tab also updates without painting. */
const stepsOf = (page: Page): Promise<number> =>
  page.evaluate(() => document.querySelector<HTMLProgressElement>('.run-panel progress')?.value ?? 0);

const patience = { timeout: 60_000, interval: 100 };

describe('a tab that trains', () => {
  it('saves its steps when it is hidden, and continues', async () => {
    const taken = await stepsOf(trainer);
    other = await openPage(life.profile);
    await other.bringToFront();
    await expect.poll(() => trainer.evaluate(() => document.visibilityState), patience).toBe('hidden');
    const savedSteps = async () => stepsKept(await readStored(other));
    // Without the hiding, the next checkpoint would come 30 seconds after the first step.
    await expect.poll(savedSteps, { ...patience, timeout: 15_000 }).toBeGreaterThanOrEqual(taken);
    await expect.poll(() => stepsOf(trainer), patience).toBeGreaterThan(taken + 2);
  });

  it('pauses while it is frozen, keeps its lock, and continues', async () => {
    const devtools = await trainer.context().newCDPSession(trainer);
    await devtools.send('Page.setWebLifecycleState', { state: 'frozen' });
    await wait(500); // for messages in flight
    const taken = await stepsOf(trainer);
    await wait(2000);
    expect(await stepsOf(trainer)).toBe(taken);
    expect(await heldLocks(other)).toBe(1);
    expect(await listedRuns(other)).toMatchObject([{ training: 'elsewhere', canGoOn: false }]);
    await startButton(other).click();
    await other.getByText('Another tab of this browser is training.').waitFor();
    await devtools.send('Page.setWebLifecycleState', { state: 'active' });
    await expect.poll(() => stepsOf(trainer), patience).toBeGreaterThan(taken);
    expect(await heldLocks(other)).toBe(1);
  });
});
