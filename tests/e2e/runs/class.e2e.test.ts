import { readFile } from 'node:fs/promises';
import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { endings } from '../../../src/run/verdict/ending';
import { presets } from '../../../src/run/config/presets';
import { runOfSeat } from '../../../src/run/sweep/seats';
import { packRun } from '../../../src/share/run-file';
import { encodeLink } from '../../../src/share/settings-link';
import { newRunRecord } from '../../../src/run/record/new-run';
import { wilson } from '../../../src/reward/accuracy';
import { evalReport, verdict } from '../../run/verdict/verdicts';
import { violations, violationsInBothSchemes } from '../helpers/accessibility';
import { fileOf, keptRuns, saved, startButton, visit, place } from '../helpers/visitor';

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
  const { isOfClass = true, steps: total = room.base.steps, taken = total } = changes;
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

it('a class reads files that are dropped together, lists who is missing, and counts no run twice', async () => {
  const page = await visit();
  await startButton(page).waitFor();
  const seats = Array.from({ length: 24 }, (_, index) => index + 1).filter((seat) => seat !== 3);
  await drop(page, [
    ...(await Promise.all(seats.map((seat) => runFileOf(seat, seat === 4 ? { taken: 25 } : {})))),
    fileOf('broken.marble', 'marble-run 1\nnothing'),
    await runFileOf(2),
    await runFileOf(5, { steps: 60 }),
    await runFileOf(25, { isOfClass: false }),
  ]);
  await page.getByText('26 runs read').waitFor();
  await page.getByText('23 of 25 are in. Missing: 3, 25.').waitFor();
  const refused = page.getByRole('list', { name: 'Files that were not taken' });
  expect(await refused.getByRole('listitem').allInnerTexts()).toEqual([
    expect.stringMatching(/^broken\.marble: The head of the file is damaged/),
  ]);
  const arms = page.getByRole('region', { name: 'Arms compared' }).getByRole('row');
  expect(await arms.allInnerTexts()).toEqual([
    expect.stringContaining('correct reasoning'),
    expect.stringMatching(/Logic-RL\), steps 40\s+12\s/),
    expect.stringMatching(/Correct reasoning, steps 40\s+11\s/),
    expect.stringMatching(/Logic-RL\), steps 60\s+1\s/),
  ]);
  const reward = page.getByRole('figure', { name: 'Reward', exact: true });
  expect(await reward.locator('.legend').innerText()).toMatch(
    /Logic-RL\), steps 40 \(12 runs\)[^]*Correct reasoning, steps 40 \(11 runs\)[^]*steps 60 \(1 run\)/,
  );
  expect(await table(page).getByRole('row').count()).toBe(27);
  for (const row of [
    /^1 2401 .*Logic-RL\).* 40 of 40 .*50 → 10 % −41\.0 to −39\.0 40 → 8 %/,
    /^2 \(2\) ?made twice, does not count/,
    /^4 .*25 of 40 ?stopped/,
    /^5 \(2\).*60 of 60 stops thinking/,
  ])
    await table(page).getByRole('row', { name: row }).waitFor();
  expect(
    await table(page).evaluate((box) => ({
      scrolls: box.scrollHeight > box.clientHeight,
      shades: getComputedStyle(box).backgroundImage.match(/to top/g)?.length,
      heading: getComputedStyle(box.querySelector('th')!).position,
    })),
  ).toEqual({ scrolls: true, shades: 2, heading: 'sticky' });
  expect(await page.getByRole('button', { name: 'Copy the class link' }).isVisible()).toBe(false);
  expect(await page.getByRole('button', { name: 'Copy link' }).count()).toBe(0);
  expect(await violationsInBothSchemes(page)).toEqual([]);
  const csv = await saved(page, page.getByRole('button', { name: 'Save as CSV' }));
  expect((await readFile(csv, 'utf8')).trim().split('\r\n')).toHaveLength(27);

  // On a phone every figure is visible: nothing scrolls sideways, and the box is as long as its table.
  await page.setViewportSize({ width: 390, height: 800 });
  for (const name of ['Arms compared', 'Runs of the class']) {
    const hidden = await page
      .getByRole('region', { name })
      .evaluate((box) => [box.scrollWidth - box.clientWidth, box.scrollHeight - box.clientHeight]);
    expect(Math.max(...hidden), name).toBeLessThanOrEqual(1);
  }
  expect(await violations(page)).toEqual([]);

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
