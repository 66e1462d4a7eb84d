import { readFile } from 'node:fs/promises';
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { violations } from '../helpers/accessibility';
import { openBrowserForAll, saved, visit } from '../helpers/visitor';

openBrowserForAll();

const figure = (page: Page, name: string) => page.getByRole('figure', { name, exact: true });
const plot = (page: Page, name: string) => figure(page, name).getByRole('group', { name: /arrow keys/ });

describe('the charts of a run', () => {
  it('share one cursor and one zoom, by mouse and by keyboard', async () => {
    const page = await visit('#v=1&preset=ladder-12k');
    await plot(page, 'Reward').focus();
    await page.keyboard.press('Home');
    await page.keyboard.press('ArrowRight');
    for (const name of ['Reward', 'Thinking', 'True statements', 'Accuracy']) {
      expect(await figure(page, name).locator('.at').innerText()).toMatch(/^step \d+$/);
    }
    expect(await figure(page, 'Thinking').locator('.at').innerText()).toBe('step 2');

    await page.getByText('Smoothing, zoom').click();
    const sight = page.getByText(/^Steps \d+ to \d+\.$/);
    await page.getByRole('button', { name: 'Zoom in' }).press('Enter');
    expect(await sight.innerText()).toBe('Steps 15 to 45.');
    await page.getByRole('button', { name: 'Whole run' }).press('Enter');
    await sight.waitFor({ state: 'detached' });
    await plot(page, 'Thinking').scrollIntoViewIfNeeded();
    const box = (await plot(page, 'Thinking').boundingBox())!;
    await page.mouse.move(box.x + box.width / 2, box.y + 20);
    await page.mouse.down();
    await page.mouse.move(box.x + box.width * 0.75, box.y + 40, { steps: 4 });
    await page.mouse.up();
    const [from, to] = (await sight.innerText()).match(/\d+/g)!.map(Number);
    expect(from).toBeGreaterThan(27);
    expect(from).toBeLessThan(33);
    expect(to).toBeGreaterThan(42);
    expect(to).toBeLessThan(48);
    expect(await violations(page)).toEqual([]);
    await page.getByRole('button', { name: 'Whole run' }).click();
    await sight.waitFor({ state: 'detached' });
  });

  it('follow a change of the colour scheme, and use dashes with forced colours', async () => {
    const page = await visit('#v=1&preset=ladder-12k', { colorScheme: 'light' });
    const lines = figure(page, 'Accuracy').locator('.plot-area g path:not(.points)');
    const colours = () => lines.evaluateAll((paths) => paths.map((path) => getComputedStyle(path).stroke));
    await lines.nth(3).waitFor({ state: 'attached' });
    const light = await colours();
    expect(new Set(light).size).toBe(4);
    await page.emulateMedia({ colorScheme: 'dark' });
    const dark = await colours();
    expect(dark.filter((colour) => light.includes(colour))).toEqual([]);
    await page.emulateMedia({ colorScheme: 'light', forcedColors: 'active' });
    expect(new Set(await colours())).toEqual(new Set(['rgb(0, 0, 0)']));
    const swatches = figure(page, 'Accuracy').locator('.swatch path');
    const dashes = await swatches.evaluateAll((paths) =>
      paths.map((path) => `${getComputedStyle(path).stroke} ${path.getAttribute('stroke-dasharray')}`),
    );
    expect(dashes.every((look) => look.startsWith('rgb(0, 0, 0) '))).toBe(true);
    expect(new Set(dashes).size).toBe(4);
  });

  it('are saved as images in the colours of the page', async () => {
    const page = await visit('#v=1&preset=ladder-12k', { colorScheme: 'dark' });
    await figure(page, 'Accuracy').locator('.figures > summary').click();
    const path = await saved(page, figure(page, 'Accuracy').getByRole('button', { name: 'Save as PNG' }));
    const picture = (await readFile(path)).toString('base64');
    /** Number of pixels of each line colour; the browser decodes the image. */
    const counts = await figure(page, 'Accuracy').evaluate(async (chart, encoded) => {
      const image = new Image();
      image.src = `data:image/png;base64,${encoded}`;
      await image.decode();
      const canvas = new OffscreenCanvas(image.width, image.height);
      const context = canvas.getContext('2d')!;
      context.drawImage(image, 0, 0);
      const { data } = context.getImageData(0, 0, image.width, image.height);
      return [...chart.querySelectorAll('.plot-area g path:not(.points)')].map((line) => {
        const [red, green, blue] = getComputedStyle(line).stroke.match(/\d+/g)!.map(Number);
        let count = 0;
        for (let at = 0; at < data.length; at += 4)
          if (data[at] === red && data[at + 1] === green && data[at + 2] === blue) count++;
        return count;
      });
    }, picture);
    expect(counts).toHaveLength(4);
    expect(Math.min(...counts)).toBeGreaterThan(50);
  });
});
