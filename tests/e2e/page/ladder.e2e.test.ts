/** The first screen: three models side by side. */
import { describe, expect, it } from 'vitest';
import type { Page } from 'playwright-core';
import { violations, violationsInBothSchemes } from '../helpers/accessibility';
import { openBrowserForAll, visit, wordsInSight } from '../helpers/visitor';

openBrowserForAll();

/** Expects large plots that are all visible, with the numbers of their steps. */
async function expectPlotsInSight(page: Page): Promise<void> {
  for (const plot of await plots(page).all()) {
    const { width, height } = (await plot.boundingBox())!;
    expect(width).toBeGreaterThanOrEqual(480);
    expect(height).toBeGreaterThanOrEqual(150);
  }
  const feet = await page
    .locator('.step-tick')
    .evaluateAll((ticks) => ticks.map((tick) => tick.getBoundingClientRect().bottom));
  expect(feet).toHaveLength(6); // both ends of each plot
  expect(Math.max(...feet)).toBeLessThanOrEqual(await page.evaluate(() => innerHeight));
}

/** Waits for a text in a part of the page; `nth` selects among several. */
const stands = (page: Page, part: string, text: string | RegExp, nth = 0) =>
  page.locator(part).getByText(text).nth(nth).waitFor();
const plots = (page: Page) => page.locator('.plot-area');
const train = (page: Page) =>
  page.getByRole('button', { name: /^Train (two here, 10 seconds to 2|them here, 1 to 4) minutes$/ });

describe('the ladder', () => {
  it(
    'replays its recording with few words and large plots, and trains with one press',
    { timeout: 480_000 },
    async () => {
      const page = await visit('#ladder=2401', { viewport: { width: 1280, height: 800 } });
      await expect.poll(() => plots(page).nth(1).getAttribute('aria-label')).toMatch(/small \d+/);
      await page.getByText('recorded').nth(2).waitFor();
      // The replay waits for a guess before it continues to its end.
      await stands(page, '.rung.small .badge', '10/60');
      expect(await page.locator('.rung-ending').count()).toBe(0);
      expect(await wordsInSight(page)).toBeLessThanOrEqual(90);
      await expectPlotsInSight(page);
      expect(await violations(page)).toEqual([]);
      await page.getByRole('button', { name: 'Explain hard questions' }).click();
      await page
        .getByText(/Hard are those on which the shortcut is wrong, easy.+ right on 8\d % of/)
        .waitFor();
      await page.keyboard.press('Escape');

      expect((await page.locator('.asked-here').allInnerTexts()).slice(1)).toEqual([
        'same question',
        'same question',
      ]);
      expect(await page.locator('.rung .thought').count()).toBe(3); // as in the curves next to them
      await page.getByText(/^Sent: seed 2401\. Repeats those runs\.$/).waitFor();
      const guess = page.getByRole('radiogroup', { name: 'small' }).getByLabel('stops');
      await guess.check();
      await train(page).click();
      await stands(page, '.rung.small .badge', /^[1-9]\d*\/60$/);
      // While a guess is open, the recordings behind the runs extend only as far as the runs.
      const [ghosts, own] = await page
        .locator('.plots')
        .evaluate((all) =>
          ['.ghost', '.small, .middle, .large'].map((look) =>
            [...all.querySelectorAll('.plot-figure:nth-child(2) g')]
              .filter((line) => line.matches(look))
              .map((line) =>
                Number(/.*[ML](\d+)/.exec(line.querySelector('path')!.getAttribute('d')!)?.[1] ?? 0),
              ),
          ),
        );
      expect(ghosts).toEqual(own.slice(0, ghosts.length));
      await page.getByText(/^about \d+ (second|minute)s? to go$/).waitFor();
      expect(await wordsInSight(page)).toBeLessThanOrEqual(120);
      await expectPlotsInSight(page);
      // One crosshair for all plots, moved by keyboard.
      await plots(page).first().focus();
      await page.keyboard.press('Home');
      await expect.poll(() => page.locator('.plot-area .cross').count()).toBe(3);
      await page.locator('.rung-ending').nth(2).waitFor({ timeout: 400_000 });
      expect(await page.locator('.rung.small .rung-ending').innerText()).toMatch(
        /^(stops thinking|goes on writing, no longer thinks|keeps thinking|thinks better|thinks less|right answers, thinking no longer true|had little to lose|too close to call|not measured)/,
      );
      await page.getByText('Your guess, and the test').waitFor();
      await stands(page, '.guesses', /hard questions \d+ → \d+ % right/, 2);
      expect(await wordsInSight(page)).toBeLessThanOrEqual(120);
      await page.setViewportSize({ width: 1366, height: 768 });
      await expectPlotsInSight(page);
      await page.setViewportSize({ width: 1280, height: 800 });
      expect(await violationsInBothSchemes(page)).toEqual([]);

      await page.locator('.rung.small').locator('.kind', { hasText: 'Test' }).waitFor();
      expect(await page.locator('.asked-here', { hasText: 'same question' }).count()).toBe(2);
      await page.locator('.rung.small').getByRole('button', { name: 'Why?' }).click();
      await page.locator('.why-page .first-and-now .story').waitFor();
      await stands(page, '.what-paid', / of \d+ right/);
      await page.getByText('What is an advantage?').click();
      await page.locator('.why-page .update .stages').waitFor();
      await page.getByText('How sure is that?').click();
      await page.locator('.why-page .verdict-panel').waitFor();
      expect(await violations(page)).toEqual([]);
      await page.getByRole('button', { name: 'All of this run' }).click();
      await stands(page, '.run-panel', 'Finished: 60 steps');
      // The large model's own run, recorded or trained, instead of the previously opened one.
      await page.getByRole('button', { name: 'Ladder', exact: true }).click();
      await page.locator('.rung.large').getByRole('button', { name: 'Why?' }).click();
      await page.getByRole('heading', { name: /^The large model/ }).waitFor();
      await page.getByRole('button', { name: 'All of this run' }).click();
      await expect.poll(() => page.getByRole('main').innerText()).toMatch(/the large model/);
      expect(await page.getByRole('main').getByText('It stops thinking').count()).toBe(0);
      // Other runs have no guesses yet.
      await page.getByRole('button', { name: 'Ladder', exact: true }).click();
      await page.getByRole('button', { name: 'Another seed' }).click();
      expect(await guess.isChecked()).toBe(false);
      // A run stopped before its verdict shows those of earlier seeds.
      for (const rung of ['.small', '.middle']) await stands(page, `.rung${rung} .badge`, /^[1-9]\d*\/60$/);
      await page.getByRole('button', { name: 'Stop', exact: true }).click();
      await stands(page, '.guesses', /stopped before its last test.*\. 1 earlier seed: [a-z, ]+$/, 1);
    },
  );

  it('has one column on a phone, with the curves first, and opens with the seed and the guesses of its link', async () => {
    const page = await visit('#ladder=77&middle=fakes', {
      viewport: { width: 390, height: 844 },
      reducedMotion: 'no-preference', // plays the replay at its own speed
    });
    await expect.poll(() => plots(page).first().getAttribute('aria-label')).toMatch(/small/);
    const { scrollWidth, scrollHeight } = await page.evaluate(() => {
      const { scrollWidth, scrollHeight } = document.documentElement;
      return { scrollWidth, scrollHeight };
    });
    expect(scrollWidth).toBeLessThanOrEqual(390);
    expect(scrollHeight).toBeLessThan(3000);
    const [curve, card] = [plots(page).first(), page.locator('.rung').first()];
    expect((await curve.boundingBox())!.y).toBeLessThan((await card.boundingBox())!.y);
    expect((await card.boundingBox())!.y).toBeLessThan(900); // at the bottom of the first screen
    expect(await page.getByRole('radiogroup', { name: 'middle' }).getByLabel('fakes').isChecked()).toBe(true);
    await page.getByRole('radiogroup', { name: 'small' }).getByLabel('stops').check();
    await expect.poll(() => page.url()).toMatch(/#ladder=77&middle=fakes&small=stops$/);
    await page.getByRole('button', { name: 'Copy link' }).click();
    await expect.poll(() => page.evaluate(() => navigator.clipboard.readText())).toMatch(/#ladder=77$/); // no guesses
    expect(await page.locator('.rung-ending').count()).toBe(0);
    // A question that is open stays on its card while the replay continues.
    const questionCard = page.locator('.asked-here').first();
    await questionCard.getByRole('button').click();
    const question = await questionCard.getByRole('button').innerText();
    const keeps = page.getByRole('radiogroup', { name: 'large' }).getByLabel('keeps');
    await keeps.evaluate((choice: HTMLElement) => choice.click());
    await page.getByText('Your guess, and the test').waitFor();
    expect(await questionCard.getByRole('button').innerText()).toBe(question);
    await page.keyboard.press('Escape');
    await expect.poll(() => questionCard.getByRole('button').innerText()).not.toBe(question);
    await stands(page, '.rung.small .rung-ending', 'stops thinking');
    await stands(page, '.guesses', 'stops thinking'); // the cards are further down
    // A recording also has reasons for its verdict.
    await page.locator('.rung.large').getByRole('button', { name: 'Why?' }).click();
    await page.getByRole('heading', { name: /^The large model: .+ Why\?$/ }).waitFor();
    await stands(page, '.what-paid', / of \d+ right/);
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(390);
    await page.getByText(/1379 of its answers with thinking were wholly true/).waitFor();
    await page.getByRole('button', { name: 'Back to the three' }).click();
    // It is not replayed again.
    expect(await page.locator('.rung.small .badge').innerText()).toBe('recorded 60/60');
    await page.locator('.rung.large').getByRole('button', { name: 'Why?' }).click();
    await page.getByRole('button', { name: 'Ask it yourself' }).click();
    const ask = page.getByRole('tab', { name: 'Ask it yourself', selected: true });
    await expect.poll(() => ask.evaluate((tab) => tab === document.activeElement)).toBe(true);
    // It answers as before and after its training, without a run.
    await page.getByRole('button', { name: 'Ask', exact: true }).click();
    for (const when of ['Before training', 'After 60 steps'])
      await page.getByRole('heading', { name: `${when}: its likeliest answer` }).waitFor();
  });
});
