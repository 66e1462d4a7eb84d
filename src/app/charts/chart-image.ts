/** A chart as a picture that stands alone: its title, its plot and its legend, as they stand on the page. */
import { saveFile } from '../ui/files';

const painted = 'figcaption, .plot-area, .legend';
const margin = 16;

export async function saveChartImage(figure: Element, title: string): Promise<void> {
  const parts = [...figure.querySelectorAll(painted)];
  const { left, top, width } = figure.getBoundingClientRect();
  const bottom = Math.max(...parts.map((part) => part.getBoundingClientRect().bottom));
  const picture = document.createElement('canvas');
  picture.width = (width + 2 * margin) * devicePixelRatio;
  picture.height = (bottom - top + 2 * margin) * devicePixelRatio;
  const context = picture.getContext('2d')!;
  context.scale(devicePixelRatio, devicePixelRatio);
  context.fillStyle = getComputedStyle(figure).backgroundColor;
  context.fillRect(0, 0, picture.width, picture.height);
  context.translate(margin - left, margin - top);
  for (const part of parts) {
    part.querySelectorAll('path').forEach((path) => paintPath(context, path));
    paintTexts(context, part);
  }
  const blob = await new Promise<Blob | null>((resolve) => picture.toBlob(resolve));
  if (blob !== null) saveFile(`marble-${title.toLowerCase().replaceAll(/[^a-z]+/g, '-')}.png`, blob);
}

function paintPath(context: CanvasRenderingContext2D, path: SVGPathElement): void {
  const style = getComputedStyle(path);
  const drawn = new Path2D();
  drawn.addPath(new Path2D(path.getAttribute('d')!), path.getScreenCTM()!);
  context.globalAlpha = Number(style.opacity) * Number(getComputedStyle(path.parentElement!).opacity);
  if (style.fill !== 'none') {
    context.fillStyle = style.fill;
    context.fill(drawn);
  }
  if (style.stroke !== 'none') {
    context.strokeStyle = style.stroke;
    context.lineWidth = Number.parseFloat(style.strokeWidth);
    context.lineCap = style.strokeLinecap as CanvasLineCap;
    context.setLineDash(
      style.strokeDasharray === 'none' ? [] : style.strokeDasharray.split(', ').map(Number.parseFloat),
    );
    context.stroke(drawn);
  }
  context.globalAlpha = 1;
}

/** Word by word, as lines are broken on the page. */
function paintTexts(context: CanvasRenderingContext2D, part: Element): void {
  const texts = document.createTreeWalker(part, NodeFilter.SHOW_TEXT);
  context.textBaseline = 'middle';
  while (texts.nextNode() !== null) {
    const text = texts.currentNode as Text;
    if (text.parentElement!.closest('.visually-hidden') !== null) continue;
    const { fontWeight, fontSize, fontFamily, color } = getComputedStyle(text.parentElement!);
    context.font = `${fontWeight} ${fontSize} ${fontFamily}`;
    context.fillStyle = color;
    for (const { 0: word, index } of text.data.matchAll(/\S+/g)) {
      const range = document.createRange();
      range.setStart(text, index);
      range.setEnd(text, index + word.length);
      const { left, top, height } = range.getBoundingClientRect();
      context.fillText(word, left, top + height / 2);
    }
  }
}
