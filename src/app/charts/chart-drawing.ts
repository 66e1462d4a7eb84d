/** What uPlot is told of axes, lines and bands, and what is drawn on its canvas besides. */
import type uPlot from 'uplot';
import { dashOf, lettersOf, type ChartLine } from './lines/chart-line';
import { colourOf } from '../ui/colour';
import { mostInRow, placeLabels } from './line-labels';

export interface ChartMark {
  step: number;
  lines: string[];
}

export function axis(element: Element, size: number): uPlot.Axis {
  const rule = { stroke: () => colourOf('--rule', element), width: 1 };
  return {
    size,
    stroke: () => colourOf('--quiet', element),
    font: '13px system-ui, sans-serif',
    grid: rule,
    ticks: { ...rule, size: 4 },
    gap: 3,
    space: leastSpace,
  };
}

/** Between two ticks in pixels: a low plot has more than one as well. */
function leastSpace(_: uPlot, axisIndex: number, __: number, ___: number, length: number): number {
  return axisIndex === 0 ? 50 : Math.min(30, length / 4);
}

/** 1, 2, 5, 10, …: what lies between two ticks of an axis that counts whole things. */
export const wholeIncrements: readonly number[] = Array.from({ length: 12 }, (_, power) =>
  [1, 2, 5].map((first) => first * 10 ** power),
).flat();

/** How strong a line is drawn while none is pointed at. */
export const alphaOf = ({ faint }: ChartLine): number => (faint === true ? 0.35 : 1);

export function seriesOf(line: ChartLine, element: Element): uPlot.Series {
  return {
    label: line.label,
    stroke: () => colourOf(line.colour, element),
    width: line.faint === true ? 1 : 2.25,
    alpha: alphaOf(line),
    dash: [...dashOf(line)],
    spanGaps: true,
    points: { show: line.points === true, size: 5, fill: () => colourOf(line.colour, element) },
  };
}

/** The edges of the bands stand behind all lines, high and low in turn, and are not drawn themselves. */
export function bandSeries(lines: readonly ChartLine[]): uPlot.Series[] {
  const edge = (): uPlot.Series => ({ width: 0, spanGaps: true, points: { show: false } });
  return lines.flatMap(({ band }) => (band === undefined ? [] : [edge(), edge()]));
}

export function bandsOf(lines: readonly ChartLine[], element: Element): uPlot.Band[] {
  return lines
    .filter(({ band }) => band !== undefined)
    .map((line, index) => {
      const high = 1 + lines.length + 2 * index;
      return { series: [high, high + 1], fill: () => pale(colourOf(line.colour, element)) };
    });
}

/** `rgb(1, 2, 3)` as `rgba(1, 2, 3, 0.16)`: lines and other bands show through. */
function pale(colour: string): string {
  const numbers = colour.match(/[\d.]+/g)?.slice(0, 3);
  return numbers === undefined ? 'transparent' : `rgba(${numbers.join(', ')}, 0.16)`;
}

const letterWidth = 10;
const letterHeight = 14;
export const endRoom = 5 + mostInRow * letterWidth;

export function drawEnds(u: uPlot, lines: readonly ChartLine[], element: Element): void {
  const letters = lettersOf(lines);
  const ratio = devicePixelRatio;
  const { left, top, width, height } = u.bbox;
  const ends = lines.flatMap((line, index) => {
    const letter = letters[index];
    // A line that has just come is in the plot after its next making.
    if (letter === null || index + 1 >= u.series.length || u.series[index + 1].show === false) return [];
    const last = lastInSight(u, index + 1);
    if (last === null) return [];
    const x = Math.min(u.valToPos(last[0], 'x', true), left + width) + 5 * ratio;
    return [{ letter, x, y: u.valToPos(last[1], 'y', true), colour: line.colour }];
  });
  const placed = placeLabels(ends, {
    top,
    bottom: top + height,
    letterWidth: letterWidth * ratio,
    letterHeight: letterHeight * ratio,
  });
  const { ctx } = u;
  ctx.save();
  ctx.font = `600 ${12 * ratio}px system-ui, sans-serif`;
  ctx.textAlign = 'left';
  ctx.textBaseline = 'middle';
  for (const { letter, x, y, colour } of placed) {
    ctx.fillStyle = colourOf(colour, element);
    ctx.fillText(letter, x, y);
  }
  ctx.restore();
}

function lastInSight(u: uPlot, series: number): [at: number, value: number] | null {
  const to = u.scales.x.max ?? Infinity;
  for (let index = u.data[0].length - 1; index >= 0; index--) {
    const value = u.data[series][index];
    if (u.data[0][index] <= to && value != null) return [u.data[0][index], value];
  }
  return null;
}

/** Room above a plot for what its upright axis counts. */
export const unitRoom = 26;

/** What the axes count: one below its ticks, the other above its own, where it can be read without turning one’s head. */
export function drawAxisNames(u: uPlot, unit: string, element: Element): void {
  const { ctx } = u;
  const { left, width } = u.bbox;
  ctx.save();
  ctx.fillStyle = colourOf('--quiet', element);
  ctx.font = `${12 * devicePixelRatio}px system-ui, sans-serif`;
  ctx.textAlign = 'center';
  ctx.textBaseline = 'bottom';
  ctx.fillText('step', left + width / 2, ctx.canvas.height - devicePixelRatio);
  ctx.textAlign = 'left';
  ctx.textBaseline = 'top';
  ctx.fillText(unit, 0, 3 * devicePixelRatio);
  ctx.restore();
}

/** A thin upright at the step that the whole page speaks of. */
export function drawLookedAt(u: uPlot, step: number | null, element: Element): void {
  if (step === null) return;
  const x = u.valToPos(step, 'x', true);
  if (x < u.bbox.left || x > u.bbox.left + u.bbox.width) return;
  const { ctx } = u;
  ctx.save();
  ctx.strokeStyle = colourOf('--accent', element);
  ctx.lineWidth = 1.5 * devicePixelRatio;
  ctx.beginPath();
  ctx.moveTo(x, u.bbox.top);
  ctx.lineTo(x, u.bbox.top + u.bbox.height);
  ctx.stroke();
  ctx.restore();
}

/** Of the words at a mark, in pixels. */
const markSize = 13;
const markRow = 17;
const markGap = 6;
/** Of the axis below a plot with its ticks, in pixels. */
export const axisRoom = 40;
/** Above and below a plot, whose own height is not known before it is drawn. */
const aroundPlot = unitRoom + axisRoom;

/** The top of an axis from 0 to `most` on which the words of a mark stand above the curve. */
export function topWithRoom(most: number, mark: ChartMark | null, height: number): number {
  const rows = mark?.lines.length ?? 0;
  const room = rows === 0 ? 0 : (rows * markRow + markGap) / Math.max(1, height - aroundPlot);
  return (1.05 * Math.max(1, most)) / (1 - Math.min(0.6, room));
}

export function drawMark(u: uPlot, mark: ChartMark | null, element: Element): void {
  if (mark === null) return;
  const ratio = devicePixelRatio;
  const x = u.valToPos(mark.step, 'x', true);
  const { ctx } = u;
  const { left, top, width, height } = u.bbox;
  if (x < left || x > left + width) return;
  ctx.save();
  ctx.strokeStyle = ctx.fillStyle = colourOf('--collapse', element);
  ctx.lineWidth = 1.5 * ratio;
  ctx.setLineDash([4 * ratio, 4 * ratio]);
  ctx.beginPath();
  ctx.moveTo(x, top);
  ctx.lineTo(x, top + height);
  ctx.stroke();
  const fontOf = (size: number): string => `600 ${size * ratio}px system-ui, sans-serif`;
  ctx.font = fontOf(markSize);
  ctx.textBaseline = 'top';
  ctx.textAlign = 'left';
  const gap = markGap * ratio;
  const rowHeight = markRow * ratio;
  const widest = Math.max(...mark.lines.map((line) => ctx.measureText(line).width));
  // In a narrow chart the words are smaller, so that none is cut off.
  const fitting = Math.min(1, (width - 2 * gap) / widest);
  ctx.font = fontOf(markSize * fitting);
  const textWidth = widest * fitting;
  const onRight = x + gap + textWidth <= left + width;
  const textLeft = onRight ? x + gap : Math.max(left + gap / 2, x - gap - textWidth);
  mark.lines.forEach((line, row) => ctx.fillText(line, textLeft, top + gap / 2 + row * rowHeight));
  ctx.restore();
}
