/**
 * A seat of a class, from its link to the result that the teacher reads.
 *
 * @module-tag long
 */
import type { Page } from 'playwright-core';
import decodeQR from 'qr/decode.js';
import { describe, expect, it } from 'vitest';
import { violations } from '../helpers/accessibility';
import {
  finish,
  keptRuns,
  reachStep,
  saved,
  shortRun,
  startButton,
  visit,
  largeSteps,
  place,
} from '../helpers/visitor';

const table = (page: Page) => page.getByRole('region', { name: 'Runs of the class' });

/** Names of presets, and explanations that reveal an ending. */
const telling =
  /swap-shortcut|ladder-\d+k|thinking stops mattering|stop mattering|need not matter|stops thinking|thinks better|without any reasoning|no reasoning at all\.|learn to reason better/gi;

/**
 * Parts of the page that reveal how its runs end: texts, folded or not, names of controls and tooltips. Addresses are
 * allowed.
 */
async function tells(page: Page): Promise<string[]> {
  const words = await page.evaluate(() =>
    [...document.body.querySelectorAll('*')].flatMap((element) => [
      ...[...element.childNodes]
        .filter((node) => node.nodeType === Node.TEXT_NODE)
        .map((node) => node.nodeValue),
      ...[...element.attributes].filter(({ name }) => name !== 'href').map(({ value }) => value),
    ]),
  );
  return words.join(' ').match(telling) ?? [];
}

/** Decodes a QR code from the screen, as a camera would. */
async function readQr(page: Page, name: string): Promise<string> {
  const size = 600;
  const bits = await page.getByRole('img', { name }).evaluate((image: HTMLImageElement, side) => {
    const drawing = new OffscreenCanvas(side, side).getContext('2d')!;
    drawing.fillStyle = getComputedStyle(image).backgroundColor;
    drawing.fillRect(0, 0, side, side);
    drawing.drawImage(image, 0, 0, side, side);
    const { data } = drawing.getImageData(0, 0, side, side);
    return Array.from({ length: side * side }, (_, pixel) => Number(data[4 * pixel] > 127)).join('');
  }, size);
  const data = Uint8Array.from({ length: 4 * size * size }, (_, at) => 255 * Number(bits[at >> 2]));
  return decodeQR({ width: size, height: size, data });
}

describe('a student of a class', () => {
  it('gets a link with the teacher’s choices, a seed of their own and a file with their number', async () => {
    const desk = await visit(shortRun({ steps: 2, 'evaluation.every': 2 }));
    await desk.getByRole('button', { name: 'Class', exact: true }).click();
    await desk.getByRole('heading', { name: 'A class' }).waitFor();
    const lesson = desk.getByRole('main').getByLabel('Lesson: students see no verdict');
    const copied = async (): Promise<string> => {
      await desk.getByRole('button', { name: 'Copy the class link' }).click();
      await desk.getByText('Copied. Put it where the class finds it.', { exact: true }).waitFor();
      return desk.evaluate(() => navigator.clipboard.readText());
    };
    // An experiment has the steps of its preset, and is still chosen after a visit to another place.
    await desk.getByRole('radio', { name: /^Paid for answers/ }).check();
    await desk.getByText('Numbers fill the 2 arms in turn: 2 in a row share a seed').waitFor();
    await lesson.uncheck();
    await desk.getByLabel('Seats').fill('20');
    await place(desk, 'Train').click();
    await place(desk, 'Class').click();
    await desk.locator('.explain').getByText('60 steps.').waitFor();
    const ofExperiment = await copied();
    expect(ofExperiment).toMatch(/sweep\.reward=logic-rl,faithful.*class=20/);
    expect(ofExperiment).not.toMatch(/steps=|lesson/);

    await desk.getByRole('radio', { name: /What the settings of this page say/ }).check();
    await lesson.check();
    await desk.getByLabel('Seats').fill('600');
    expect(await desk.getByRole('button', { name: 'Copy the class link' }).isDisabled()).toBe(true);
    await desk.getByLabel('Seats').fill('30');
    await desk.getByText('always the same, from 3 on.').waitFor();
    const link = await copied();
    expect(await violations(desk)).toEqual([]);
    expect(link).toMatch(/&class=30&lesson=on$/);
    await desk.getByText('Show QR code').click();
    expect(await readQr(desk, 'The class link as a QR code')).toBe(link);

    const page = await visit(new URL(link).hash);
    await page.getByText('First type your number above.').waitFor();
    expect(await startButton(page).isDisabled()).toBe(true);
    for (const name of ['Class', 'Marble'])
      expect(await page.getByRole('button', { name, exact: true }).count()).toBe(0);
    const seatField = page.getByLabel('Your number');
    await seatField.fill('31');
    await seatField.press('Enter');
    await page.getByText('There is no seat 31: this class has the numbers 1 to 30.').waitFor();
    expect(await violations(page)).toEqual([]);
    await seatField.fill('12');
    await seatField.press('Enter');
    await page.getByText(/^Seat 12: your run has seed 14/).waitFor();
    await startButton(page).click();
    await page.getByText('No verdict yet.').waitFor();
    await finish(page);
    await page.getByText('On test questions:').first().waitFor();
    // A code instead of the file, and then the file.
    await page.getByRole('button', { name: 'Copy the result code' }).click();
    await page.getByText('Copied.', { exact: true }).waitFor();
    const code = await page.evaluate(() => navigator.clipboard.readText());
    expect(code.length).toBeLessThan(1300);
    await desk.getByLabel('Result codes').fill('Here you are.');
    await desk.getByRole('button', { name: 'Read the codes' }).click();
    await desk.getByText('There is no result code in this text').waitFor();
    // The settings of a short run are a long text, and its seat comes after them.
    const cut = code.slice(0, 0.8 * code.length);
    await desk.getByLabel('Result codes').fill(cut);
    await desk.getByRole('button', { name: 'Read the codes' }).click();
    await desk.getByText('The code is incomplete or was changed on its way: ask for it again.').waitFor();
    await desk.getByLabel('Result codes').fill(`> Here you are: ${code}\n`);
    await desk.getByRole('button', { name: 'Read the codes' }).click();
    await desk.getByText('1 run read').waitFor();
    expect(await table(desk).getByRole('row').nth(1).innerText()).toMatch(/^12\s[^]*code$/);
    await desk.getByText(/^1 of 30 are in\. Missing: .*11, 13,/).waitFor();
    expect(await desk.getByText('The code is incomplete').count()).toBe(0);
    expect(await violations(desk)).toEqual([]);
    await desk
      .getByLabel('Run files of the class')
      .setInputFiles(await saved(page, page.getByRole('button', { name: 'Save the file for your teacher' })));
    await table(desk)
      .getByRole('row', { name: /^12 .*Open/ })
      .waitFor();
    // A student hands the class on, not the own run.
    await page.getByRole('button', { name: 'Copy link' }).click();
    await page.getByText('this class, in which everybody takes a seat').waitFor();
    expect(await page.evaluate(() => navigator.clipboard.readText())).toMatch(/&class=30&lesson=on$/);
  });

  it('shows a student no recording before the end of their run, even if the verdict is not hidden', async () => {
    const page = await visit(`${shortRun()}&class=30`);
    await page.getByLabel('Your number').fill('7');
    await page.getByRole('button', { name: 'Take this seat' }).click();
    await page.getByText('Seat 7: your run is').waitFor();
    expect(await page.locator('.recording, .verdict-panel, .rung').count()).toBe(0);
  });

  it('keeps the seat and the file for the teacher after a reload, a stop and another visit', async () => {
    const page = await visit(
      `${shortRun({ steps: 60, ...largeSteps, 'evaluation.every': 60 })}&class=30&lesson=on`,
    );
    page.on('dialog', (dialog) => void dialog.accept()); // the tab is left during training
    await page.getByRole('heading', { name: 'What your class runs', exact: true }).waitFor();
    // Nothing reveals the ending, and no link leaves the experiment.
    for (const name of ['Data', 'Sweeps'])
      expect(await page.getByRole('button', { name, exact: true }).count()).toBe(0);
    expect(await page.locator('.settings').count()).toBe(0);
    expect(await tells(page)).toEqual([]);
    await page.getByLabel('Your number').fill('12,');
    await page.getByRole('button', { name: 'Take this seat' }).click();
    await startButton(page).click();
    await reachStep(page, 3);
    await page.reload();
    await page.getByText('Seat 12: your run has seed 14').waitFor();
    expect(await tells(page)).toEqual([]);
    const handIn = page.getByRole('button', { name: 'Save the file for your teacher' });
    await page.getByRole('button', { name: /^Resume .* from step \d+$/ }).click();
    await reachStep(page, 6);
    expect(await handIn.count()).toBe(0);
    await page.getByRole('button', { name: 'Stop' }).click();
    await handIn.waitFor();
    expect(await page.locator('.run-panel button.primary').allInnerTexts()).toEqual([
      'Save the file for your teacher',
    ]);
    expect(await page.getByRole('button', { name: 'Another seed' }).count()).toBe(0);
    expect(await violations(page)).toEqual([]);
    const download = page.waitForEvent('download');
    await handIn.click();
    expect((await download).suggestedFilename()).toMatch(/^marble-12-seed-14-step-\d+\.marble$/);
    await (await keptRuns(page)).getByText(/^Seat 12: Run of seed 14/).waitFor();
    expect(await tells(page)).toEqual([]);
    expect(await page.getByRole('tab', { name: 'Report' }).count()).toBe(0);
    await page.reload();
    await place(page, 'Train').click();
    await page.getByRole('button', { name: /^Open Seat 12: Run of seed 14/ }).click();
    await page
      .locator('.run-panel')
      .getByRole('button', { name: 'Save the file for your teacher' })
      .waitFor();
    // With the verdict, the names and the explanation appear as well.
    await page.getByRole('checkbox', { name: /^Lesson/ }).uncheck();
    await page.getByRole('heading', { name: /^Seat 12: The ladder: the middle model, seed 14/ }).waitFor();
    // A reload does not hide it again, and the seat is still taken.
    await expect.poll(() => new URL(page.url()).hash).toMatch(/&class=30$/);
    await page.reload();
    expect(await page.getByRole('checkbox', { name: /^Lesson/ }).isChecked()).toBe(false);
    await page.getByText(/^Seat 12: your run/).waitFor();
    // Another experiment, undone, and the lesson switch leave the seat its seed.
    await page.getByText('Toys', { exact: true }).click();
    await page.locator('.experiments button').first().click();
    await page.getByRole('button', { name: 'Undo the changes' }).click();
    await page.getByRole('checkbox', { name: /^Lesson/ }).check();
    await startButton(page).click();
    await page.getByRole('heading', { name: /^Seat 12: Run of seed 14/ }).waitFor();
  });
});
