import type { Locator } from 'playwright-core';

/** Number of pixels of each colour, such as `rgb(0, 0, 0)`, of a canvas or of a picture file. */
export async function pixelsOf(
  canvas: Locator,
  colours: readonly string[],
  picture?: Buffer,
): Promise<number[]> {
  const address = picture && `data:image/png;base64,${picture.toString('base64')}`;
  return canvas.evaluate(
    async (element, [wanted, source]) => {
      let shown = element as HTMLCanvasElement | HTMLImageElement;
      if (source !== undefined) {
        shown = new Image();
        shown.src = source;
        await shown.decode();
      }
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
    },
    [colours, address] as const,
  );
}
