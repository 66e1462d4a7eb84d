import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { violations } from '../helpers/accessibility';
import { browser, openBrowserForAll, openPage } from '../helpers/visitor';

openBrowserForAll();

const figure = (page: Page, name: string) => page.getByRole('figure', { name, exact: true });
const plot = (page: Page, name: string) => figure(page, name).getByRole('group', { name: /arrow keys/ });

describe('the charts of a run', () => {
  it('share one cursor and one zoom, by mouse and by keyboard', async () => {
    const profile = await browser.newContext();
    const page = await openPage(profile, '#v=1&preset=ladder-12k');
    await plot(page, 'Reward').focus();
    await page.keyboard.press('Home');
    await page.keyboard.press('ArrowRight');
    for (const name of ['Reward', 'Thinking', 'True statements', 'Accuracy']) {
      expect(await figure(page, name).locator('.at').innerText()).toMatch(/^step \d+$/);
    }
    expect(await figure(page, 'Thinking').locator('.at').innerText()).toBe('step 2');

    await page.getByText('Smoothing, axes, zoom').click();
    await plot(page, 'Reward').focus();
    const sight = page.getByText(/^Steps \d+ to \d+\.$/);
    await page.keyboard.press('+');
    expect(await sight.innerText()).toBe('Steps 0 to 30.');
    await page.keyboard.press('0');
    await sight.waitFor({ state: 'detached' });
    const box = (await plot(page, 'Thinking').locator('.u-over').boundingBox())!;
    await page.mouse.move(box.x + box.width / 2, box.y + 20);
    await page.mouse.down();
    await page.mouse.move(box.x + box.width * 0.75, box.y + 40, { steps: 4 });
    await page.mouse.up();
    const [from, to] = (await sight.innerText()).match(/\d+/g)!.map(Number);
    expect(from).toBeGreaterThan(27);
    expect(from).toBeLessThan(33);
    expect(to).toBeGreaterThan(42);
    expect(to).toBeLessThan(48);
    await page.getByLabel('Logarithmic axes').check();
    expect(await violations(page)).toEqual([]);
    await page.getByRole('button', { name: 'Whole run' }).click();
    await sight.waitFor({ state: 'detached' });
    await profile.close();
  });

  it('say what they count, in the colours of a scheme that changes under them', async () => {
    const profile = await browser.newContext({ colorScheme: 'light' });
    const page = await openPage(profile, '#v=1&preset=ladder-12k');
    /** Mean brightness of the words above the axis, 0 to 255; NaN where there are none. */
    const brightness = (name: string) =>
      plot(page, name)
        .locator('canvas')
        .evaluate((canvas: HTMLCanvasElement) => {
          const { data } = canvas
            .getContext('2d')!
            .getImageData(0, 0, canvas.width / 2, 16 * devicePixelRatio);
          const inked = Array.from({ length: data.length / 4 }, (_, at) => 4 * at).filter(
            (at) => data[at + 3] > 200,
          );
          return (
            inked.reduce((sum, at) => sum + (data[at] + data[at + 1] + data[at + 2]) / 3, 0) / inked.length
          );
        });
    for (const name of ['Reward', 'Thinking', 'True statements', 'Accuracy']) {
      await expect.poll(() => brightness(name)).toBeLessThan(130);
      await page.emulateMedia({ colorScheme: 'dark' });
      await expect.poll(() => brightness(name)).toBeGreaterThan(140);
      await page.emulateMedia({ colorScheme: 'light' });
    }
    await page.emulateMedia({ forcedColors: 'active' });
    await expect.poll(() => brightness('Reward')).toBeLessThan(20);
    await profile.close();
  });

  it('are told apart by their dashes in forced colours', async () => {
    const profile = await browser.newContext({ forcedColors: 'active' });
    const page = await openPage(profile, '#v=1&preset=ladder-12k');
    const swatches = figure(page, 'Accuracy').locator('.swatch path');
    await swatches.first().waitFor({ state: 'attached' });
    const drawn = await swatches.evaluateAll((paths) =>
      paths.map((path) => `${getComputedStyle(path).stroke} ${path.getAttribute('stroke-dasharray')}`),
    );
    expect(new Set(drawn).size).toBe(4);
    expect(new Set(drawn.map((look) => look.replace(/ [^)]*$/, ''))).size).toBe(1);
    await profile.close();
  });
});
