/**
 * Draws lines with uPlot, which provides axes, bands, cursor and zoom. All charts of the page share the cursor. This
 * module adds labels at line ends, marks and the step that the page shows.
 */
import type { Signal } from '@preact/signals';
import UPlot from 'uplot';
import { crosshair, inSight, zoom } from './chart-view';
import { dashOf, valueAt, type ChartLine } from './lines/aligned';

export interface ChartMark {
  step: number;
  lines: readonly string[];
}

type Range = readonly [low: number, high: number];

export interface Drawing {
  /** Description for screen readers. */
  label: string;
  /** Lines over shared steps. */
  lines: readonly ChartLine[];
  /** Length of the x axis in steps. The zoom may show less. */
  steps: number;
  /** Range of the y axis. Defaults to the visible values. */
  range?: Range;
  /** Part of the range that is shown until a visible line leaves it. */
  usual?: Range;
  /** Starts the y axis at 0, where a small change does not look like a collapse. */
  isFromZero?: boolean;
  /** Restricts the ticks of the y axis to whole numbers. */
  isWhole?: boolean;
  /** Shows values at the line ends, and ticks only at the ends of the y axis. */
  isSmall?: boolean;
  unit?: string;
  format: (value: number) => string;
  marks?: readonly ChartMark[];
  /** Step that the page shows. The chart marks it, and the arrow keys move it. */
  lookedAt?: Signal<number | null>;
}

export const group = UPlot.sync('steps');

const gap = 6;
const wholes = Array.from({ length: 10 }, (_, power) => [1, 2, 5].map((one) => one * 10 ** power)).flat();

export function dataOf(lines: readonly ChartLine[]): UPlot.AlignedData {
  const edges = lines.flatMap(({ band }) => (band === undefined ? [] : [band.high, band.low]));
  return [lines.at(0)?.steps ?? [], ...lines.map(({ values }) => values), ...edges] as UPlot.AlignedData;
}

/**
 * Creates a plot that fills its place. The number of lines and their looks remain those at the creation.
 *
 * @param now - returns what to draw, and is called at each drawing
 */
export function createPlot(place: HTMLElement, now: () => Drawing): UPlot {
  const { lines, isSmall, isWhole, unit } = now();
  const { fontFamily, fontSize } = getComputedStyle(place);
  const size = Math.round(Number.parseFloat(fontSize));
  const lineHeight = 1.25 * size;
  const font = (weight: number): string => `${weight} ${size}px ${fontFamily}`;
  const ruler = document.createElement('canvas').getContext('2d')!;
  const widthOf = (text: string, weight = 600): number => {
    ruler.font = font(weight);
    return ruler.measureText(text).width;
  };
  const probe = place.querySelector('i')!;
  /** Resolves a CSS custom property in the present colour scheme. */
  const paint = (colour: string, percent = 100): string => {
    const full = `var(${colour})`;
    probe.style.color = percent === 100 ? full : `color-mix(in srgb, ${full} ${percent}%, transparent)`;
    return getComputedStyle(probe).color;
  };

  // With forced colours, dashes replace hues.
  const hues = matchMedia('(forced-colors: active)').matches ? lines.map(({ colour }) => colour) : [];
  const series = lines.map((line): UPlot.Series => {
    const { colour, points, faint, isThin, dash = Math.max(0, hues.indexOf(colour)) } = line;
    return {
      stroke: () => paint(colour),
      alpha: faint ? 0.4 : 1,
      width: faint || isThin ? 1.25 : 2.25,
      dash: [...dashOf(dash)],
      cap: dash > 0 ? 'butt' : 'round',
      paths: points === 'only' ? () => null : undefined,
      points: {
        show: Boolean(points),
        filter: (chart, at, show) => (show ? null : lonelyRows(chart.data[at])),
        size: points ? 6 : 3.5,
        width: 0,
      },
    };
  });
  const banded = lines.filter(({ band }) => band !== undefined);
  const edge = { width: 0, points: { show: false } };
  const roomOf = ({ end }: ChartLine): number =>
    end === undefined ? 0 : widthOf(isSmall ? `${end} 100 %` : end);
  const axis = { font: font(400), stroke: () => paint('--quiet'), ticks: { show: false }, gap };

  const drawWords = (chart: UPlot): void => {
    const { ctx, over } = chart;
    const { offsetLeft: left, offsetTop: top, clientWidth: width, clientHeight: height } = over;
    const drawing = now();
    const say = (words: string, x: number, y: number, colour: string, weight = 600, most?: number): void => {
      ctx.font = font(weight);
      ctx.fillStyle = paint(colour);
      ctx.fillText(words, x, y + lineHeight / 2, most);
    };
    ctx.save();
    ctx.scale(UPlot.pxRatio, UPlot.pxRatio);
    ctx.textBaseline = 'middle';
    ctx.textAlign = 'left';
    if (unit !== undefined) say(unit, 0, 0, '--quiet', 400);
    const at = (isSmall ? crosshair.value : null) ?? inSight(drawing.steps)[1];
    const ends = drawing.lines.flatMap(({ end, colour, isThin, ...line }) => {
      const value = valueAt(line, at);
      if (end === undefined || value === null) return [];
      if (isThin) return { value, words: end, colour: '--quiet', weight: 400 };
      return { value, words: isSmall ? `${end} ${drawing.format(value)}`.trim() : end, colour };
    });
    // Prevents labels from overlapping or leaving the plot.
    let y = top - 1.5 * lineHeight;
    ends.sort((one, other) => other.value - one.value);
    for (const [rank, { value, words, colour, weight }] of ends.entries()) {
      const lowest = top + height - (ends.length - rank - 0.5) * lineHeight;
      y = Math.min(lowest, Math.max(y + lineHeight, top + chart.valToPos(value, 'y') - lineHeight / 2));
      say(words, left + width + gap, y, colour, weight);
    }
    ctx.beginPath();
    ctx.rect(left, top, width, height);
    ctx.clip();
    ctx.lineWidth = 1.5;
    const rule = (step: number, colour: string, dash: number[]): number => {
      const x = left + chart.valToPos(step, 'x');
      ctx.strokeStyle = paint(colour);
      ctx.setLineDash(dash);
      ctx.stroke(new Path2D(`M${x} ${top}v${height}`));
      return x;
    };
    const lookedAt = drawing.lookedAt?.value ?? null;
    if (lookedAt !== null) rule(lookedAt, '--accent', []);
    for (const { step, lines: words } of drawing.marks ?? []) {
      const x = rule(step, '--ink', [4, 4]);
      const wide = Math.min(width, Math.max(0, ...words.map((line) => widthOf(line))));
      const start = Math.max(left, Math.min(x + gap, left + width - wide));
      ctx.fillStyle = paint('--card', 75);
      ctx.fillRect(start, top, wide, words.length * lineHeight);
      // A line wider than the plot is condensed.
      words.forEach((line, row) => say(line, start, top + row * lineHeight, '--ink', 600, width));
    }
    ctx.restore();
  };

  return new UPlot(
    {
      width: place.clientWidth,
      height: place.clientHeight,
      series: [{}, ...series, ...banded.flatMap(() => [edge, edge])],
      bands: banded.map(({ colour }, place) => ({
        series: [series.length + 1 + 2 * place, series.length + 2 + 2 * place],
        fill: () => paint(colour, 16),
      })),
      legend: { show: false },
      padding: [
        unit === undefined ? size / 2 : lineHeight + gap,
        Math.max(...lines.map(roomOf), size) + 2 * gap,
        0,
        0,
      ],
      scales: {
        x: { time: false, range: () => inSight(now().steps) },
        y: { range: (_, least, most) => [...rangeOf(least, most, now())] },
      },
      axes: [
        {
          ...axis,
          size: lineHeight + gap,
          grid: { show: false },
          incrs: wholes,
          values: (_, ticks) => ticks.map((tick, index) => (index === 0 ? `step ${tick}` : tick)),
        },
        {
          ...axis,
          size: widthOf('0.0000', 400) + gap,
          grid: { stroke: () => paint('--rule'), width: 1 },
          incrs: isWhole ? wholes : undefined,
          space: 26,
          splits: isSmall ? (_, __, low, high) => [low, high] : undefined,
          values: (_, ticks) => ticks.map(now().format),
        },
      ],
      cursor: {
        y: false,
        move: (chart, left, top) =>
          left < 0 ? [left, top] : [chart.valToPos(Math.round(chart.posToVal(left, 'x')), 'x'), top],
        sync: { key: group.key, scales: ['x', null] },
        drag: { x: true, y: false, setScale: false, dist: 5 },
        points: { show: false, fill: 'none', stroke: 'none' },
        bind: { dblclick: () => () => (zoom.value = null) },
      },
      hooks: {
        setCursor: [
          (chart) => {
            const { event, left = -1 } = chart.cursor;
            if (event == null) return; // the event belongs to another chart
            crosshair.value = left < 0 ? null : Math.round(chart.posToVal(left, 'x'));
          },
        ],
        setSelect: [
          (chart) => {
            const { left, width } = chart.select;
            chart.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
            if (chart.cursor.event == null || width === 0) return;
            zoom.value = [chart.posToVal(left, 'x'), chart.posToVal(left + width, 'x')];
          },
        ],
        draw: [drawWords],
      },
    },
    dataOf(lines),
    place,
  );
}

/** Minimum span of an axis, as a fraction of its largest value and in absolute terms. */
const leastPart = 0.02;
const leastSpan = 1e-3;
/** Padding above and below the values, as a fraction of the span. */
const pad = 0.05;

/**
 * Range of the y axis for visible values from `least` to `most`. A minimum span keeps rounding noise of a constant flat.
 */
export function rangeOf(
  least: number | null,
  most: number | null,
  { range, usual, isFromZero = false, isWhole = false }: Partial<Drawing>,
): Range {
  if (range !== undefined)
    return usual !== undefined && usual[0] <= (least ?? usual[0]) && (most ?? usual[1]) <= usual[1]
      ? usual
      : range;
  const size = Math.max(Math.abs(least ?? 0), Math.abs(most ?? 0));
  if (least === null || most === null || size === 0 || !Number.isFinite(most - least)) return [0, 1];
  const span = Math.max(most - least, leastPart * size, isWhole ? 2 : leastSpan);
  const room = pad * span + (span - (most - least)) / 2;
  const low = least >= 0 ? Math.max(0, least - room) : least - room;
  return [isFromZero ? Math.min(0, low) : low, most + room];
}

/**
 * Rows of isolated points, which have a gap or an end on both sides and belong to no line segment.
 *
 * @param column - null is a gap; undefined is no point, and lines continue across it
 */
export function lonelyRows(column: ArrayLike<number | null | undefined>): number[] {
  const rows = Array.from(column, (value, row) => (value === undefined ? -1 : row)).filter((row) => row >= 0);
  const isGap = (row: number | undefined): boolean => row === undefined || column[row] === null;
  return rows.filter((row, at) => !isGap(row) && isGap(rows[at - 1]) && isGap(rows[at + 1]));
}
