/** Saves a chart as a PNG with its title, its legend, and the step of the legend's values. */
import { saveFile } from '../ui/files';

const margin = 16;
const lineHeight = 24;

/** @param place - the step in words; empty without one */
export async function saveChartImage(figure: Element, title: string, place: string): Promise<void> {
  const drawn = figure.querySelector('canvas')!;
  const entries = [...figure.querySelectorAll<HTMLElement>('.legend button[aria-pressed=true]')];
  const [width, height] = [drawn.clientWidth, drawn.clientHeight];
  const picture = document.createElement('canvas');
  picture.width = (width + 2 * margin) * devicePixelRatio;
  picture.height = (height + (entries.length + 1) * lineHeight + 2 * margin) * devicePixelRatio;
  const context = picture.getContext('2d')!;
  context.scale(devicePixelRatio, devicePixelRatio);
  const { backgroundColor, color, fontFamily } = getComputedStyle(figure);
  context.fillStyle = backgroundColor;
  context.fillRect(0, 0, picture.width, picture.height);
  context.translate(margin, margin);
  context.fillStyle = color;
  context.textBaseline = 'middle';
  context.font = `600 16px ${fontFamily}`;
  context.fillText(place === '' ? title : `${title}, ${place}`, 0, lineHeight / 2);
  context.drawImage(drawn, 0, lineHeight, width, height);
  context.font = `14px ${fontFamily}`;
  context.lineWidth = 2.5;
  for (const [row, entry] of entries.entries()) {
    const y = lineHeight + height + (row + 0.5) * lineHeight;
    const { stroke, strokeDasharray } = getComputedStyle(entry.querySelector('path')!);
    context.strokeStyle = stroke;
    context.setLineDash(strokeDasharray.split(',').map(Number.parseFloat).filter(Number.isFinite));
    context.stroke(new Path2D(`M0 ${y}H30`));
    context.fillText(entry.innerText.replaceAll(/\s+/g, ' '), 40, y);
  }
  const blob = await new Promise<Blob | null>((resolve) => picture.toBlob(resolve));
  if (blob !== null) saveFile(`marble-${title.toLowerCase().replaceAll(/[^a-z]+/g, '-')}.png`, blob);
}
