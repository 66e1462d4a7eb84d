import { readFile } from 'node:fs/promises';
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { endings } from '../../../src/run/verdict/ending';
import { presets } from '../../../src/run/config/presets';
import { runOfSeat } from '../../../src/run/sweep/seats';
import { packRun } from '../../../src/share/run-file';
import { encodeLink } from '../../../src/share/settings-link';
import { newRunRecord } from '../../../src/run/record/new-run';
import { wilson } from '../../../src/reward/accuracy';
import { evalReport, verdict } from '../../run/verdict/verdicts';
import { violations, violationsInBothSchemes } from '../helpers/accessibility';
import {
  fileOf,
  keptRuns,
  newProfile,
  openBrowserForAll,
  openPage,
  saved,
  startButton,
  visit,
  place,
} from '../helpers/visitor';

openBrowserForAll();

type GivenFile = ReturnType<typeof fileOf>;

const room = {
  base: { ...presets['swap-shortcut'], steps: 40 },
  axes: { reward: ['logic-rl', 'faithful'] as const },
  seats: 25,
};

const classLink = encodeLink(room.base, { sweep: room.axes, seats: room.seats });

/** The run file of a student: 40 steps, two evaluations, and a verdict. */
async function runFileOf(
  seat: number,
  changes: { isOfClass?: boolean; steps?: number; taken?: number } = {},
): Promise<GivenFile> {
  const { isOfClass = false, steps: total = room.base.steps, taken = total } = changes;
  const config = { ...runOfSeat(room, String(seat)).config, steps: total };
  const record = {
    ...newRunRecord(config, 'a run', {}, isOfClass ? { link: await classLink, seat: `${seat}` } : undefined),
    status: taken < config.steps ? ('stopped' as const) : ('done' as const),
    step: taken,
  };
  const steps = Array.from({ length: taken }, (_, index) => ({
    step: index + 1,
    reward: Math.sin(index / 9 + seat / 5),
    'think/mean_length': 20 - index / 3 + (seat % 4),
    'trace/validity': 0.5,
  }));
  const evals = [
    { report: evalReport() },
    {
      report: evalReport({ step: config.steps, shortcutWrong: wilson(10, 25) }),
      verdict: verdict({ step: config.steps, ending: endings[seat % endings.length] }),
    },
  ];
  const history = { record, steps, evals, alerts: [] };
  const file = await packRun({ history, rollouts: [], checkpoint: null });
  return fileOf(`Student ${seat}.marble`, await file.bytes());
}

/** Drops files on the page of the class, as from a folder. */
async function drop(page: Page, files: readonly GivenFile[]): Promise<void> {
  await place(page, 'Class').click();
  await page.getByText('Choose all run files at once').waitFor();
  const given = files.map(({ name, buffer }) => ({ name, text: buffer.toString('base64') }));
  await page.evaluate((each) => {
    const dataTransfer = new DataTransfer();
    for (const { name, text } of each) {
      const bytes = Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
      dataTransfer.items.add(new File([bytes], name));
    }
    const panel = document.querySelector('[aria-labelledby=class-results]')!;
    panel.dispatchEvent(new DragEvent('drop', { dataTransfer, bubbles: true, cancelable: true }));
  }, given);
}

const table = (page: Page) => page.getByRole('region', { name: 'Runs of the class' });

describe('a class', () => {
  it('reads 25 run files that are dropped together', { tags: ['long'] }, async () => {
    const profile = await newProfile();
    const page = await openPage(profile);
    await startButton(page).waitFor();
    const files = await Promise.all(Array.from({ length: 25 }, (_, index) => runFileOf(index + 1)));
    const broken = { ...files[3], name: 'broken.marble', buffer: Buffer.from('marble-run 1\nnothing') };
    const again = { ...files[0], name: 'again.marble' };
    await drop(page, [...files.slice(0, 12), broken, ...files.slice(12), again]);

    await page.getByText('26 runs read').waitFor();
    expect(await violationsInBothSchemes(page)).toEqual([]);
    const refused = page.getByRole('list', { name: 'Files that were not taken' });
    expect(await refused.getByRole('listitem').allInnerTexts()).toEqual([
      expect.stringMatching(/^broken\.marble: The head of the file is damaged/),
    ]);
    const rows = await table(page).getByRole('row').allInnerTexts();
    expect(rows).toHaveLength(27);
    expect(rows[2]).toMatch(/^Student 1\s+made twice, does not count/);
    expect(rows[6]).toMatch(
      /^Student 5\s+2403\s+Right answers \(Logic-RL\)\s+40 of 40\s+stops thinking.*\s50 → 10 %\s+−41\.0 to −39\.0\s+40 → 8 %/s,
    );
    expect(
      await table(page).evaluate((box) => ({
        scrolls: box.scrollHeight > box.clientHeight,
        shades: getComputedStyle(box).backgroundImage.match(/to top/g)?.length,
        heading: getComputedStyle(box.querySelector('th')!).position,
      })),
    ).toEqual({ scrolls: true, shades: 2, heading: 'sticky' });
    const arms = page.getByRole('region', { name: 'Arms compared' }).getByRole('row');
    expect(await arms.allInnerTexts()).toEqual([
      expect.stringContaining('Arm'),
      expect.stringMatching(/Logic-RL\)\s+13\s/),
      expect.stringMatching(/Correct reasoning\s+12\s/),
    ]);
    expect(await page.getByRole('button', { name: 'Copy the class link' }).isVisible()).toBe(false);
    expect(await page.getByRole('button', { name: 'Copy link' }).count()).toBe(0);
    expect(await violations(page)).toEqual([]);

    const csv = await saved(page, page.getByRole('button', { name: 'Save as CSV' }));
    const lines = (await readFile(csv, 'utf8')).trim().split('\r\n');
    expect(lines).toHaveLength(27);
    // Nothing is saved until a run is opened; on return the table is unchanged.
    const button = table(page).getByRole('button', { name: 'Open the run of Student 25' });
    await button.scrollIntoViewIfNeeded();
    for (const back of [
      () => page.getByRole('button', { name: 'Back to the class' }).click(),
      () => page.goBack(),
    ]) {
      await button.click();
      await page
        .getByRole('heading', { name: /^Student 25: Its thinking stops mattering.*seed 2413/ })
        .waitFor();
      expect(await page.evaluate(() => scrollY)).toBe(0);
      expect(await (await keptRuns(page)).locator('li').count()).toBe(1);
      await back();
      await page.getByText('26 runs read').waitFor();
    }
    await page.getByRole('button', { name: 'Clear 26 runs' }).click();
    await page.getByRole('button', { name: 'Clear 26 runs for good' }).click();
    await page.getByRole('button', { name: 'Copy the class link' }).waitFor();
    expect(await table(page).count()).toBe(0);
  });

  it('lists missing students, stopped runs and duplicates, and counts no run twice', async () => {
    const page = await visit();
    await startButton(page).waitFor();
    await drop(page, [
      await runFileOf(1, { isOfClass: true }),
      await runFileOf(2, { isOfClass: true }),
      { ...(await runFileOf(2, { isOfClass: true })), name: 'other.marble' },
      await runFileOf(4, { isOfClass: true, taken: 25 }),
      await runFileOf(5, { isOfClass: true }),
      { ...(await runFileOf(5, { isOfClass: true, steps: 60 })), name: 'longer.marble' },
    ]);
    await page.getByText('6 runs read').waitFor();
    await page.getByText('4 of 25 are in. Missing: 3, 6 to 25.').waitFor();
    const arms = page.getByRole('region', { name: 'Arms compared' }).getByRole('row');
    expect(await arms.allInnerTexts()).toEqual([
      expect.stringContaining('correct reasoning'),
      expect.stringMatching(/Logic-RL\), steps 40\s+2\s/),
      expect.stringMatching(/Correct reasoning, steps 40\s+1\s/),
      expect.stringMatching(/Logic-RL\), steps 60\s+1\s/),
    ]);
    const reward = page.getByRole('figure', { name: 'Reward', exact: true });
    expect(await reward.locator('.legend').innerText()).toMatch(
      /Logic-RL\), steps 40 \(2 runs\)[^]*Correct reasoning, steps 40 \(1 run\)/,
    );
    expect(await table(page).getByRole('row').count()).toBe(7);
    await table(page)
      .getByRole('row', { name: /^5 \(2\)/ })
      .waitFor();
    await table(page)
      .getByRole('row', { name: /^2 \(2\)\s*made twice, does not count/ })
      .waitFor();
    await table(page)
      .getByRole('row', { name: /^4 .*25 of 40\s*stopped/ })
      .waitFor();
    expect(await violationsInBothSchemes(page)).toEqual([]);
    // On a phone every figure is visible: nothing scrolls sideways.
    await page.setViewportSize({ width: 390, height: 800 });
    for (const name of ['Arms compared', 'Runs of the class']) {
      const region = page.getByRole('region', { name });
      expect(await region.evaluate((box) => box.scrollWidth - box.clientWidth), name).toBeLessThanOrEqual(1);
      expect(await region.evaluate((box) => box.scrollHeight - box.clientHeight), name).toBeLessThanOrEqual(
        1,
      );
    }
    expect(await violations(page)).toEqual([]);
  });
});
