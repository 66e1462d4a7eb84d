import type { Page } from 'playwright-core';
import { describe, expect, inject, it } from 'vitest';
import { takeShifts, watchShifts } from '../../fixtures/page-figures';
import { sampled } from '../../fixtures/sample';
import { guess, newProfile, runToEnd, shortRun } from '../helpers/visitor';

/** Maximum layout shift. Chromium's own tools rate .1 as good. */
const most = 0.02;

const steady = async (page: Page): Promise<void> => expect(await takeShifts(page)).toBeLessThan(most);

async function onPage(width: number, hash: string, test: (page: Page) => Promise<void>): Promise<void> {
  const profile = await newProfile({
    viewport: { width, height: 900 },
    reducedMotion: 'no-preference',
  });
  const page = await profile.newPage();
  await page.clock.install();
  await watchShifts(page);
  await page.goto(`${inject('address')}${hash}`);
  await page.locator('.story.short, .recording').first().waitFor();
  await test(page);
  await steady(page);
}

describe('the content of the page does not move', () => {
  it.each(sampled([390], [390, 1280, 1600]))(
    'from the first paint to the end of the replay, %i wide',
    (width) =>
      onPage(width, '', async (page) => {
        await page.clock.runFor(5000);
        await page.getByRole('button', { name: 'Watch our recording' }).click();
        for (const name of ['small', 'middle', 'large']) await guess(page, name, 'stops').click();
        await page.waitForTimeout(600); // shifts within half a second of a click count as the visitor's
        await page.clock.runFor(5000);
        await page.locator('.rung-ending').nth(2).waitFor();
      }),
  );

  it('when a link is opened, and from the start of its run to the end', { tags: ['long'] }, () =>
    // Compares with a sender's run, which differs.
    onPage(1280, `${shortRun({ steps: 6 })}&fingerprint=6.00000000.${'0000'.repeat(6)}`, async (page) => {
      await steady(page);
      await runToEnd(page);
    }),
  );
});
