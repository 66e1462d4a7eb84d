/** The first screen: three small models, and the door to the real ones. */
import { describe, expect, it } from 'vitest';
import type { Page } from 'playwright-core';
import { violations, violationsInBothSchemes } from '../helpers/accessibility';
import { fileOf, guess, startButton, visit, wordsInSight } from '../helpers/visitor';

/** Expects all three plots in sight, with their axes. */
async function expectPlotsInSight(page: Page): Promise<void> {
  const feet = await page
    .locator('.plots canvas')
    .evaluateAll((all) => all.map((canvas) => canvas.getBoundingClientRect().bottom));
  expect(feet).toHaveLength(3);
  expect(Math.max(...feet)).toBeLessThanOrEqual(await page.evaluate(() => innerHeight));
}

/** Waits for a text in a part of the page; `nth` selects among several. */
const stands = (page: Page, part: string, text: string | RegExp, nth = 0) =>
  page.locator(part).getByText(text).nth(nth).waitFor();
const plots = (page: Page) => page.locator('.plots .canvas');
const train = (page: Page) =>
  page.getByRole('button', { name: /^Train (two small models, 10 s – 2|three small models, 1 – 4) min$/ });

describe('the first screen', () => {
  it('says in few words what it is, shows the story, the toys and the real models, and fills the form with one', async () => {
    const page = await visit('', { viewport: { width: 1280, height: 800 } });
    await stands(
      page,
      '.first-head',
      'Reinforcement learning of a language model, on your own computer, in this tab.',
    );
    await stands(page, '.asked-here', 'Where does Bob think that Dan thinks the ball is?');
    await page.getByRole('region', { name: 'The story as a picture' }).getByText('✓').first().waitFor();
    await page
      .getByRole('button', { name: /^SmolLM2-135M 98 MB, Hugging Face, ≤ \d+ (minute|hour|day)s?$/ })
      .waitFor();
    await page
      .getByRole('button', { name: /^Qwen2\.5-0\.5B 988 MB, Hugging Face, ≤ \d+ (hour|day)s?$/ })
      .waitFor();
    await stands(page, '.real-run .example', 'So Logan thinks it is in the jar.');
    await expect.poll(() => plots(page).nth(1).getAttribute('aria-label')).toMatch(/small \d+/);
    expect(await wordsInSight(page)).toBeLessThanOrEqual(110);
    await expectPlotsInSight(page);
    expect(await violationsInBothSchemes(page)).toEqual([]);

    // One press fills the form of Train with the first run of a real model.
    await page.getByRole('button', { name: /^Qwen2\.5-0\.5B/ }).click();
    await stands(page, '.start', 'First run on a model of 0.5 billion');
    await expect
      .poll(() => startButton(page).innerText())
      .toMatch(/^Train, (about|at most) \d+ (hour|day)s?$/);
    const { y, height } = (await startButton(page).boundingBox())!;
    expect(y).toBeGreaterThan(0);
    expect(y + height).toBeLessThan(800);
    await page.goBack();
    await page.getByRole('button', { name: /^Yours/ }).click();
    const origin = page.getByLabel('Model', { exact: true });
    await expect.poll(() => origin.inputValue()).toBe('files');
    await origin.selectOption('files');
    await stands(page, '.start', 'Choose the model’s folder.');
    expect(await startButton(page).isDisabled()).toBe(true);
    // Neither does a refused choice start the model before it.
    const files = page.getByLabel('Choose the model’s files');
    await files.setInputFiles(fileOf('notes.txt', 'nothing'));
    await page.locator('.start .fault').getByText('do not include config.json.').waitFor();
    expect(await startButton(page).isDisabled()).toBe(true);
    // The browser's own “No file chosen” would contradict a choice that was taken.
    expect((await files.boundingBox())!.width).toBe(1);
  });

  it('offers to resume what a reload interrupts', { tags: ['long'], timeout: 480_000 }, async () => {
    const page = await visit('#ladder=2401');
    page.on('dialog', (dialog) => void dialog.accept());
    await train(page).click();
    for (const model of ['small', 'middle'])
      await page
        .locator(`.rung.${model} .badge`)
        .getByText(/^[1-5]\d\/60$/)
        .waitFor({ timeout: 120_000 });
    await page.reload();
    const resume = page.getByRole('button', { name: /^Resume your models from step \d+$/ });
    await resume.waitFor();
    expect(Number(/\d+$/.exec(await resume.innerText())![0])).toBeGreaterThan(0);
    await resume.click();
    await page.getByRole('button', { name: 'Stop', exact: true }).waitFor();
    await stands(page, '.rung.small .badge', /^[1-6]\d\/60$/);
  });

  it(
    'trains the toys with one press, and holds the verdict back until a guess',
    { timeout: 480_000 },
    async () => {
      const page = await visit('#ladder=2401', { viewport: { width: 1280, height: 800 } });
      await page.getByText('You opened a shared link; this trains the same runs.').waitFor();
      await train(page).click();
      for (const rung of ['small', 'middle']) await stands(page, `.rung.${rung} .badge`, /^[1-9]\d*\/60$/);
      // While a guess is open, the recordings behind the runs extend only as far as the runs.
      const ends = () =>
        page.getByRole('table', { name: 'Words of thinking' }).evaluate((table) => {
          const [head, ...rows] = [...table.querySelectorAll('tr')].map((row) =>
            [...row.children].map(({ textContent }) => textContent),
          );
          const lastStep = (column: number) => rows.findLast((row) => row[column] !== '')?.[0];
          return Object.fromEntries(head.map((name, column) => [name, lastStep(column)]));
        });
      for (const rung of ['small', 'middle']) {
        await expect.poll(async () => (await ends())[rung]).toMatch(/\d/);
        const now = await ends();
        expect(now[`${rung}, recorded`]).toBe(now[rung]);
      }
      await page.getByText(/^about \d+ (second|minute)s? left$/).waitFor();
      // One crosshair for all plots, moved by keyboard.
      await plots(page).first().focus();
      await page.keyboard.press('Home');
      await expect.poll(() => page.locator('.plots .u-cursor-x:not(.u-off)').count()).toBe(3);
      await page.getByRole('button', { name: 'Another seed?' }).waitFor({ timeout: 400_000 });
      // The runs are over, the verdict waits.
      await page.getByText(/Make your guess to see the ending/).waitFor();
      expect(await page.locator('.rung-ending').count()).toBe(0);
      await guess(page, 'small', 'stops').check();
      for (const model of ['middle', 'large']) await guess(page, model, 'keeps').click();
      await page.locator('.rung-ending').nth(2).waitFor();
      expect(await page.locator('.feet .small .rung-ending').innerText()).toMatch(
        /^(stops thinking|goes on writing, no longer thinks|keeps thinking|thinks better|thinks less|right answers, thinking no longer true|had little to lose|too close to call|not measured)/,
      );
      await stands(page, '.feet .small', /^guess: stops/);
      await stands(page, '.outcome', /[Hh]ard questions right: \d+ → \d+ %/, 1);
      await page.setViewportSize({ width: 1280, height: 800 });
      expect(await violationsInBothSchemes(page)).toEqual([]);

      await page.locator('.feet .small').getByRole('button', { name: 'Why?' }).click();
      await page.locator('.why .first-and-now .story').waitFor();
      await stands(page, '.what-paid', / of \d+ right/);
      expect(await violations(page)).toEqual([]);
      await stands(page, '.run-panel', 'Finished: 60 steps');
      // The large model's own run, recorded or trained, instead of the previously opened one.
      await page.getByRole('button', { name: 'Marble', exact: true }).click();
      await page.locator('.feet .large').getByRole('button', { name: 'Why?' }).click();
      await expect.poll(() => page.getByRole('main').innerText()).toMatch(/the large model/);
      expect(await page.getByRole('main').getByText('It stops thinking').count()).toBe(0);
      // Other runs have no guesses yet.
      await page.getByRole('button', { name: 'Marble', exact: true }).click();
      await page.getByRole('button', { name: 'Another seed?' }).click();
      expect(await guess(page, 'small', 'stops').isChecked()).toBe(false);
      await page.getByRole('button', { name: 'Pause' }).waitFor();
      for (const rung of ['.small', '.middle']) await stands(page, `.rung${rung} .badge`, /^[1-9]\d*\/60$/);
      await page.getByRole('button', { name: 'Stop', exact: true }).click();
      await page.getByRole('button', { name: 'Skip', exact: true }).click();
      await stands(page, '.outcome', /stopped before its last test/);
      await page.getByRole('button', { name: 'What if correct reasoning is paid?' }).click();
      await stands(page, '.start', 'Paid for correct reasoning');
    },
  );

  it('has one column on a phone, and plays its recording to the end', { tags: ['long'] }, async () => {
    const page = await visit('#ladder=77', {
      viewport: { width: 390, height: 844 },
      reducedMotion: 'no-preference', // plays the replay at its own speed
    });
    await expect.poll(() => plots(page).first().getAttribute('aria-label')).toMatch(/small/);
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(390);
    const [curve, real] = [plots(page).first(), page.locator('.door.real')];
    expect((await curve.boundingBox())!.y).toBeLessThan((await real.boundingBox())!.y);
    await page.getByRole('button', { name: 'Watch our recording' }).click();
    for (const model of ['small', 'middle']) await guess(page, model, 'stops').check();
    // Neither the address nor a copied link holds the guesses.
    await expect.poll(() => page.url()).toMatch(/#ladder=77$/);
    await page.getByRole('button', { name: 'Copy link' }).click();
    await expect.poll(() => page.evaluate(() => navigator.clipboard.readText())).toMatch(/#ladder=77$/);
    expect(await page.locator('.rung-ending').count()).toBe(0);
    await guess(page, 'large', 'keeps').click();
    await stands(page, '.feet .small .rung-ending', 'stops thinking');
    // A recording also has reasons for its verdict.
    await page.locator('.feet .large').getByRole('button', { name: 'Why?' }).click();
    await stands(page, '.what-paid', / of \d+ right/);
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(390);
    await page.goBack();
    // It is not replayed again.
    await page.locator('.feet .small .rung-ending').waitFor();
    await page.locator('.feet .large').getByRole('button', { name: 'Why?' }).click();
    const why = page.getByRole('tab', { name: 'Why?', selected: true });
    await expect.poll(() => why.evaluate((tab) => tab === document.activeElement)).toBe(true);
    await page.getByRole('tab', { name: 'Ask it yourself' }).click();
    // It answers as before and after its training, without a run.
    await page.getByRole('button', { name: 'Ask', exact: true }).click();
    for (const when of ['Before training', 'After 60 steps'])
      await page.getByRole('heading', { name: `${when}: its likeliest answer` }).waitFor();
  });
});
