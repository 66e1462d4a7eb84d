/** A chart as a picture that stands alone: the plot on the page's background, with its title and its legend. */
import type uPlot from 'uplot';
import { dashOf, lettersOf, type ChartLine } from './lines/chart-line';
import { colourOf } from '../ui/colour';
import { saveFile } from '../ui/save-file';

const margin = 16;
const rowHeight = 26;
const swatchWidth = 30;

export async function saveChartImage(
  plot: uPlot,
  title: string,
  lines: readonly ChartLine[],
  element: Element,
): Promise<void> {
  const source = plot.ctx.canvas;
  const ratio = devicePixelRatio;
  const picture = document.createElement('canvas');
  picture.width = source.width + 2 * margin * ratio;
  picture.height = source.height + (2 * margin + 2 * rowHeight) * ratio;
  const context = picture.getContext('2d')!;
  const colour = (name: string): string => colourOf(name, element);

  context.fillStyle = colour('--paper');
  context.fillRect(0, 0, picture.width, picture.height);
  context.drawImage(source, margin * ratio, (margin + rowHeight) * ratio);
  context.scale(ratio, ratio);
  context.textBaseline = 'middle';
  context.fillStyle = colour('--ink');
  context.font = '600 16px system-ui, sans-serif';
  context.fillText(title, margin, margin + rowHeight / 2 - 4);

  context.font = '13px system-ui, sans-serif';
  const y = picture.height / ratio - margin - rowHeight / 2 + 6;
  let x = margin;
  const letters = lettersOf(lines);
  for (const [index, line] of lines.entries()) {
    const label = letters[index] === null ? line.label : `${letters[index]} ${line.label}`;
    context.strokeStyle = colour(line.colour);
    context.globalAlpha = line.faint === true ? 0.4 : 1;
    context.lineWidth = 2.5;
    context.setLineDash([...dashOf(line)]);
    context.beginPath();
    context.moveTo(x, y);
    context.lineTo(x + swatchWidth, y);
    context.stroke();
    context.globalAlpha = 1;
    context.fillStyle = colour('--ink');
    context.fillText(label, x + swatchWidth + 5, y);
    x += swatchWidth + 5 + context.measureText(label).width + 16;
  }
  const blob = await new Promise<Blob | null>((resolve) => picture.toBlob(resolve));
  if (blob !== null) saveFile(`marble-${title.toLowerCase().replaceAll(/[^a-z]+/g, '-')}.png`, blob);
}
