/**
 * Three tabs of one profile list the same run. At most one trains it, and all agree which, also after two act at once and
 * after a crash.
 *
 * @module-tag long
 */
import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { heldLocks, listedRuns, pressOfRun } from '../helpers/tab';
import { longRun, newProfile, openPage, reachStep, startRun } from '../helpers/visitor';

const free = { training: 'no', canGoOn: true, canDelete: true };
const busy = (training: 'here' | 'elsewhere') => ({ training, canGoOn: false, canDelete: false });

async function crash(page: Page): Promise<void> {
  const crashed = page.waitForEvent('crash');
  const devtools = await page.context().newCDPSession(page);
  void devtools.send('Page.crash').catch(() => undefined); // the call gets no answer
  await crashed;
  await page.close();
}

async function remove(page: Page): Promise<void> {
  await pressOfRun(page, 'Delete');
  await pressOfRun(page, 'Delete for good');
}

it('tabs of one browser have one trainer, and agree on its run', async () => {
  const profile = await newProfile();
  const begun = await openPage(profile, longRun({ checkpointEvery: 1 }));
  await startRun(begun);
  await reachStep(begun, 2);
  await begun.getByRole('button', { name: 'Stop' }).click();
  await begun.getByRole('button', { name: /^Resume from step/ }).waitFor();
  const tabs = [begun, await openPage(profile), await openPage(profile)];
  const listed = async () => (await Promise.all(tabs.map(listedRuns))).flat();
  await expect.poll(listed).toEqual([free, free, free]);

  await Promise.all(tabs.slice(1).map((tab) => pressOfRun(tab, 'Resume from')));
  const sorted = async () => (await listed()).toSorted((a, b) => a.training.localeCompare(b.training));
  await expect.poll(sorted).toEqual([busy('elsewhere'), busy('elsewhere'), busy('here')]);
  expect(await heldLocks(begun)).toBe(1);
  await remove(begun); // neither of both is offered
  const place = (await listed()).findIndex(({ training }) => training === 'here');
  await reachStep(tabs[place], 4);

  await crash(tabs.splice(place, 1)[0]);
  await expect.poll(listed).toEqual([free, free]);
  expect(await heldLocks(begun)).toBe(0);

  const [deleting, resuming] = tabs;
  await Promise.all([remove(deleting), pressOfRun(resuming, 'Resume from')]);
  const outcome = async () => JSON.stringify(await listed());
  const resumed = JSON.stringify([busy('elsewhere'), busy('here')]);
  await expect.poll(outcome).toSatisfy((now: string) => now === '[]' || now === resumed);
  const isKept = (await outcome()) === resumed;
  await expect.poll(() => heldLocks(begun)).toBe(isKept ? 1 : 0);
});
