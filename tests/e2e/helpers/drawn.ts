import type { Locator } from 'playwright-core';

/** Number of pixels of each colour, such as `rgb(0, 0, 0)`, of a canvas. */
export function pixelsOf(canvas: Locator, colours: readonly string[]): Promise<number[]> {
  return canvas.evaluate((element, wanted) => {
    const shown = element as HTMLCanvasElement;
    const context = new OffscreenCanvas(shown.width, shown.height).getContext('2d')!;
    context.drawImage(shown, 0, 0);
    const { data } = context.getImageData(0, 0, shown.width, shown.height);
    return wanted.map((colour) => {
      const [red, green, blue] = colour.match(/\d+/g)!.map(Number);
      let count = 0;
      for (let at = 0; at < data.length; at += 4)
        if (data[at] === red && data[at + 1] === green && data[at + 2] === blue && data[at + 3] === 255)
          count++;
      return count;
    });
  }, colours);
}
