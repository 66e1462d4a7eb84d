/** What the canvases of a page show, for tests: their words, and how much of a colour. */
import type { BrowserContext, BrowserContextOptions, Locator } from 'playwright-core';
import { newProfile } from './visitor';

interface Word {
  words: string;
  /** Ticks of the step axis are centred, those of the value axis on the right; all others are on the left. */
  align: CanvasTextAlign;
  /** Pixels between its end and the right edge of the canvas. */
  room: number;
}

/** A profile whose canvases note the words that are drawn on them. */
export async function notingProfile(options?: BrowserContextOptions): Promise<BrowserContext> {
  const profile = await newProfile(options);
  await profile.addInitScript(() => {
    const noted = new WeakMap<object, Word[]>();
    Object.assign(globalThis, { wordsOn: (canvas: HTMLCanvasElement) => noted.get(canvas) ?? [] });
    type Drawer = (this: CanvasRenderingContext2D, ...of: unknown[]) => void;
    const [clearRect, fillText] = ['clearRect', 'fillText'].map(
      (name) => Reflect.get(CanvasRenderingContext2D.prototype, name) as Drawer,
    );
    CanvasRenderingContext2D.prototype.clearRect = function clear(...rect) {
      noted.set(this.canvas, []);
      clearRect.apply(this, rect);
    };
    CanvasRenderingContext2D.prototype.fillText = function fill(words, x, y) {
      const part = { left: 1, center: 0.5, right: 0 }[this.textAlign as 'left' | 'center' | 'right'];
      const point = new DOMPoint(x + part * this.measureText(words).width, y);
      const end = point.matrixTransform(this.getTransform());
      noted.get(this.canvas)?.push({ words, align: this.textAlign, room: this.canvas.width - end.x });
      fillText.call(this, words, x, y);
    };
  });
  return profile;
}

/** The words on each canvas, in their order. */
export const drawnWords = (canvases: Locator): Promise<Word[][]> =>
  canvases.evaluateAll((all) => {
    const { wordsOn } = globalThis as unknown as { wordsOn: (canvas: Element) => Word[] };
    return all.map(wordsOn);
  });

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
