import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { pixelsOf } from '../helpers/drawn';
import { visit } from '../helpers/visitor';

const figure = (page: Page, name: string) => page.getByRole('figure', { name, exact: true });

describe('the charts of a run', () => {
  /** Colour and dashes of each line, as its legend shows them. */
  const looks = (page: Page) =>
    figure(page, 'Accuracy')
      .locator('.swatch path')
      .evaluateAll((paths) =>
        paths.map((path) => [getComputedStyle(path).stroke, path.getAttribute('stroke-dasharray')!]),
      );

  it('follow the colour scheme, and use dashes with forced colours', { tags: ['long'] }, async () => {
    const page = await visit('#v=1&preset=ladder-12k', { colorScheme: 'light' });
    const canvas = figure(page, 'Accuracy').locator('canvas');
    /** The colours of the lines, once all of them are drawn in them. */
    const colours = async (): Promise<string[]> => {
      const drawn = (await looks(page)).map(([colour]) => colour);
      await expect.poll(async () => Math.min(...(await pixelsOf(canvas, drawn)))).toBeGreaterThan(20);
      return drawn;
    };
    await canvas.waitFor();
    const light = await colours();
    expect(new Set(light).size).toBe(4);
    await page.emulateMedia({ colorScheme: 'dark' });
    const dark = await colours();
    expect(dark.filter((colour) => light.includes(colour))).toEqual([]);
    await page.emulateMedia({ colorScheme: 'light', forcedColors: 'active' });
    expect(new Set(await colours())).toEqual(new Set(['rgb(0, 0, 0)']));
    expect(new Set((await looks(page)).map(([, dashes]) => dashes)).size).toBe(4);
  });
});
