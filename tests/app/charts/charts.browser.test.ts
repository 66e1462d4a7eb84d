/** Charts in a real browser: what uPlot draws of the lines, and how they are looked at. */
import { join } from 'node:path';
import { chromium, type Browser, type Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { chromiumFlags, findChromium } from '../../fixtures/chromium';
import type { PlainServer } from '../../fixtures/servers/plain-server';
import { servePage } from '../../store/page-server';
import type { ChartPage } from './chart-page';
import type { ChartLine } from '../../../src/app/charts/lines/chart-line';

/** Exists in the page only. */
declare const chartPage: ChartPage;

let server: PlainServer;
let browser: Browser;
let page: Page;
const faults: string[] = [];

beforeAll(async () => {
  server = await servePage(join(import.meta.dirname, 'chart-page.tsx'));
  browser = await chromium.launch({ executablePath: findChromium(), args: chromiumFlags });
});
afterAll(async () => {
  await browser.close();
  await server.close();
});
beforeEach(async () => {
  page = await browser.newPage({ viewport: { width: 1000, height: 800 }, deviceScaleFactor: 2 });
  page.setDefaultTimeout(10_000);
  page.on('pageerror', (error) => faults.push(error.message));
  await page.goto(server.address);
  await page.waitForFunction(() => 'chartPage' in globalThis);
  return async () => {
    await page.close();
    expect(faults.splice(0)).toEqual([]);
  };
});

/** Draws runs of so many steps whose reward rises from 0 to 1. */
async function drawRuns(
  steps: number,
  { runs = 1, arm = undefined as string | undefined } = {},
): Promise<void> {
  await page.evaluate(
    ([count, last, ofArm]) => {
      const run = (name: string) => ({
        name,
        arm: ofArm,
        config: { ...chartPage.config, steps: last },
        evaluations: [],
        records: Array.from({ length: last }, (_, index) => ({
          step: index + 1,
          reward: (index + 1) / last,
          'think/mean_length': 30,
          'trace/validity': 0.5,
        })),
      });
      const made = Array.from({ length: count }, (_, place) => run(`run ${place + 1}`));
      chartPage.drawRuns(made);
    },
    [runs, steps, arm] as const,
  );
  await page.waitForFunction(() => chartPage.plots().length === 4);
}

async function drawPlot(lines: ChartLine[]): Promise<void> {
  await page.evaluate(
    (drawn) => chartPage.drawPlot({ title: 'Words', of: 'count', steps: 10, ends: [0, 4], lines: drawn }),
    lines,
  );
  await page.waitForFunction(() => chartPage.plots().length === 1);
  await settled();
}

/** Waits until every chart has had its turn. */
const settled = () => page.waitForTimeout(150);
const chart = (title: string) => page.getByRole('figure', { name: title, exact: true });
const plot = (title: string) => chart(title).locator('.canvas');
const steps = [1, 2, 3, 4];
const line = (values: (number | null)[]): ChartLine => ({ label: 'a', colour: '--ink', steps, values });

/** Dark pixels of the plot in the stretch between two steps; the axes are pale, and their words lie outside. */
const inkBetween = (from: number, to: number) =>
  page.evaluate(
    ([first, last]) => {
      const [drawn] = chartPage.plots();
      const [left, right] = [first, last].map((step) => drawn.valToPos(step, 'x', true));
      const { data } = drawn.ctx.getImageData(left, drawn.bbox.top, right - left, drawn.bbox.height);
      let count = 0;
      for (let at = 0; at < data.length; at += 4) if (data[at + 3] > 200 && data[at] < 60) count++;
      return count;
    },
    [from, to] as const,
  );

describe('the charts', () => {
  it('share one cursor, by mouse and by arrow keys', async () => {
    await drawRuns(60);
    const cursors = () =>
      page.evaluate(() =>
        chartPage.plots().map((drawn) => Math.round(drawn.posToVal(drawn.cursor.left ?? -10, 'x'))),
      );
    const { x, y, width, height } = (await chart('Reward').locator('.u-over').boundingBox())!;
    await page.mouse.move(x + width / 2, y + height / 2);
    expect(await cursors()).toEqual([30, 30, 30, 30]);
    await expect.poll(() => chart('Thinking').locator('.at').innerText()).toBe('step 30');
    await page.mouse.move(0, 0);
    await expect.poll(() => page.evaluate(() => chartPage.crosshair.value)).toBe(null);
    await plot('Thinking').focus();
    for (const key of ['Home', 'ArrowRight', 'PageDown', 'ArrowLeft']) await page.keyboard.press(key);
    expect(await cursors()).toEqual([11, 11, 11, 11]);
    expect(await plot('Thinking').innerText()).toBe('Step 11: smoothed 30');
    await plot('Reward').focus();
    await page.keyboard.press('Home');
    expect(await plot('Reward').innerText()).toBe('Step 1: smoothed 0.0167');
  });

  it('show by a rule where the warm start ends and rewards begin', async () => {
    await drawRuns(10);
    const pixelsAt = (step: number) =>
      page.evaluate((at) => {
        const [, drawn] = chartPage.plots(); // of the thinking, which has a test line too
        const { data } = drawn.ctx.getImageData(
          drawn.valToPos(at, 'x', true),
          drawn.bbox.top,
          1,
          drawn.bbox.height,
        );
        return data.filter((alpha, index) => index % 4 === 3 && alpha > 100).length;
      }, step);
    await settled();
    const without = await pixelsAt(4);
    await page.evaluate(() => {
      const records = Array.from({ length: 10 }, (_, index) => ({
        step: index + 1,
        'think/mean_length': 30,
      }));
      const config = { ...chartPage.config, steps: 10, warmStart: { updates: 4 } };
      chartPage.drawRuns([{ name: 'run', evaluations: [], records, config }]);
    });
    await settled();
    expect(await pixelsAt(4)).toBeGreaterThan(without + 50);
    expect(await plot('Thinking').getAttribute('aria-label')).toContain('rewards begin after step 4');
  });

  it('are zoomed together by a drag, and shown whole by a double click', async () => {
    await drawRuns(60);
    const sight = () =>
      page.evaluate(() => chartPage.plots().map(({ scales }) => [scales.x.min, scales.x.max]));
    const { x, y, width, height } = (await chart('Thinking').locator('.u-over').boundingBox())!;
    await page.mouse.move(x + width / 4, y + height / 2);
    await page.mouse.down();
    await page.mouse.move(x + width / 2, y + height / 2, { steps: 4 });
    await page.mouse.up();
    await expect.poll(sight).toEqual(new Array(4).fill([15, 30]));
    // The upright axis fits what is in sight.
    const [least, most] = await page.evaluate(() => {
      const [{ scales }] = chartPage.plots();
      return [scales.y.min!, scales.y.max!];
    });
    expect(least).toBeGreaterThan(0.05);
    expect(most).toBeLessThan(0.6);
    await page.mouse.dblclick(x + width / 2, y + height / 2);
    await expect.poll(sight).toEqual(new Array(4).fill([0, 60]));
    // By keyboard, around the cursor or the middle.
    await page.mouse.move(0, 0);
    await plot('Thinking').press('+');
    await expect.poll(sight).toEqual(new Array(4).fill([15, 45]));
    await plot('Thinking').press('-');
    await expect.poll(sight).toEqual(new Array(4).fill([0, 60]));
  });

  it('draw nothing where data is missing', async () => {
    await drawPlot([line([1, 2, null, null])]);
    expect(await inkBetween(1, 2)).toBeGreaterThan(100);
    expect(await inkBetween(2.1, 10)).toBe(0);
    await drawPlot([line([null, null, null, null])]);
    expect(await inkBetween(0, 10)).toBe(0);
    // A value that stands alone is a dot.
    await drawPlot([line([null, null, 3, null])]);
    expect(await inkBetween(2.5, 3.5)).toBeGreaterThan(10);
    expect(await inkBetween(3.5, 10)).toBe(0);
  });

  it('draw values of any size, also while they are hidden', async () => {
    const hide = (isHidden: boolean) => page.evaluate((hidden) => (document.body.hidden = hidden), isHidden);
    for (const values of [
      [Number.MAX_VALUE, -Number.MAX_VALUE],
      [Number.MAX_VALUE, 0],
      [-5e-324, 5e-324],
      [3, 3 + 1e-9],
    ]) {
      await page.evaluate(
        (drawn) => chartPage.drawPlot({ title: 'Words', of: '', steps: 10, lines: [drawn] }),
        line(values),
      );
      await page.waitForFunction(() => chartPage.plots().length === 1);
      await settled();
      await hide(true);
      await settled();
      await hide(false);
      await settled();
    }
    expect(await inkBetween(1, 2)).toBeGreaterThan(100);
  });

  it('draw runs of an arm as a mean with a band', async () => {
    await drawRuns(20, { runs: 3, arm: 'faithful' });
    const drawn = () =>
      page.evaluate(() => {
        const [reward] = chartPage.plots() as unknown as { series: object[]; bands: object[] }[];
        return [reward.series.length - 1, reward.bands.length];
      });
    expect(await drawn()).toEqual([3, 1]); // the mean and both edges
    await drawRuns(20, { runs: 3 });
    await expect.poll(drawn).toEqual([3, 0]);
  });
});
