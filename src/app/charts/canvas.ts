/**
 * Draws lines with uPlot, which provides axes, bands, cursor and zoom. All charts of the page share the cursor. This
 * module adds labels at line ends, marks and the step that the page shows.
 */
import type { Signal } from '@preact/signals';
import UPlot from 'uplot';
import { inTurn, leaveTurn } from './in-turn';
import { crosshair, inSight, zoom } from './chart-view';
import { axisRange, lonelyRows } from './lines/axis';
import { dashOf, valueAt, type ChartLine, type Range } from './lines/curve';

export interface ChartMark {
  step: number;
  lines: readonly string[];
  /** Places the label at the bottom, below the curve. */
  isLow?: boolean;
}

export interface Drawing {
  /** Description for screen readers. */
  label: string;
  lines: readonly ChartLine[];
  /** Length of the x axis in steps. The zoom may show less. */
  steps: number;
  /** Range of the y axis. Defaults to the visible values. */
  range?: Range;
  /** Starts the y axis at 0, where a small change does not look like a collapse. */
  isFromZero?: boolean;
  /** Restricts the ticks of the y axis to whole numbers. */
  isWhole?: boolean;
  /** Shows values at the line ends, and ticks only at the ends of the y axis. */
  isSmall?: boolean;
  unit?: string;
  format: (value: number) => string;
  marks: readonly ChartMark[];
  /** Step that the page shows. The chart marks it, and the arrow keys move it. */
  lookedAt?: Signal<number | null>;
}

export const group = UPlot.sync('steps');

/** Media queries whose change affects colours and dashes. */
const looks = ['(prefers-color-scheme: dark)', '(forced-colors: active)', 'print'];
const gap = 6;
const wholes = Array.from({ length: 10 }, (_, power) => [1, 2, 5].map((one) => one * 10 ** power)).flat();

/** Properties of a line that are fixed when uPlot is created. A change requires a new plot. */
const lookOf = ({ colour, dash, faint, isThin, points, isDimmed, band, end }: ChartLine) =>
  [colour, dash, faint, isThin, points, isDimmed, band !== undefined, end] as const;

export function openCanvas(place: HTMLElement): { show: (drawing: Drawing) => void; close: () => void } {
  let drawing: Drawing | null = null;
  const lonely = new WeakMap<object, number[]>();
  let plot: UPlot | null = null;
  /** State of the present plot, compared with the next one to find the cheapest update. */
  let shown: { looks?: string; lines?: readonly ChartLine[]; axes?: string; words?: string } = {};

  const { fontFamily, fontSize } = getComputedStyle(place);
  const size = Math.round(Number.parseFloat(fontSize));
  const lineHeight = 1.25 * size;
  const font = (weight: number): string => `${weight} ${size}px ${fontFamily}`;
  const ruler = document.createElement('canvas').getContext('2d')!;
  const widthOf = (text: string, weight = 400): number => {
    ruler.font = font(weight);
    return ruler.measureText(text).width;
  };
  const probe = place.appendChild(document.createElement('i'));
  const palette = new Map<string, string>();
  /** Resolves a CSS custom property in the present colour scheme. */
  const paint = (colour: string, percent = 100): string => {
    const name = `color-mix(in srgb, var(${colour}) ${percent}%, transparent)`;
    if (!palette.has(name)) {
      probe.style.color = percent === 100 ? `var(${colour})` : name;
      palette.set(name, getComputedStyle(probe).color);
    }
    return palette.get(name)!;
  };

  const dataOf = (lines: readonly ChartLine[]): UPlot.AlignedData => {
    const tables = lines.map(({ steps, values, band }) =>
      band === undefined ? [steps, values] : [steps, values, band.high, band.low],
    );
    const data = tables.length === 0 ? [[]] : UPlot.join(tables as UPlot.AlignedData[]);
    for (const column of data.slice(1)) lonely.set(column, lonelyRows(column));
    return data as UPlot.AlignedData;
  };
  const create = ({ lines, isSmall, isWhole, unit }: Drawing): UPlot => {
    const now = (): Drawing => drawing!;
    // With forced colours, dashes replace hues.
    const hues = matchMedia('(forced-colors: active)').matches ? lines.map(({ colour }) => colour) : [];
    const series: UPlot.Series[] = [{}];
    const bands: UPlot.Band[] = [];
    for (const { colour, points, faint, isThin, isDimmed, band, dash = hues.indexOf(colour) } of lines) {
      const edge = series.length + 1;
      series.push({
        stroke: () => paint(colour),
        alpha: isDimmed ? 0.12 : faint ? 0.4 : 1,
        width: faint || isThin ? 1.25 : 2.25,
        dash: [...dashOf({ dash: Math.max(0, dash) })],
        cap: dash > 0 ? 'butt' : 'round',
        paths: points === 'only' ? () => null : undefined,
        points: {
          show: Boolean(points),
          filter: (chart, at, show) => (show ? null : lonely.get(chart.data[at])!),
          size: points ? 6 : 3.5,
          width: 0,
        },
      });
      if (band === undefined) continue;
      for (const _ of ['high', 'low']) series.push({ width: 0, points: { show: false } });
      bands.push({ series: [edge, edge + 1], fill: () => paint(colour, 16) });
    }
    const rooms = lines.map(({ end }) =>
      end === undefined ? 0 : widthOf(isSmall ? `${end} 100 %` : end, 600),
    );
    const axis = { font: font(400), stroke: () => paint('--quiet'), ticks: { show: false }, gap };
    return new UPlot(
      {
        width: place.clientWidth,
        height: place.clientHeight,
        series,
        bands,
        legend: { show: false },
        padding: [unit === undefined ? size / 2 : lineHeight + gap, Math.max(...rooms, size) + 2 * gap, 0, 0],
        scales: {
          x: { time: false, range: () => inSight(now().steps) },
          y: { range: (_, least, most) => [...(now().range ?? axisRange(least, most, now()))] },
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
            size: widthOf('0.0000') + gap,
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
  };

  /** Labels at the line ends. Small plots add the value at the cursor, or else at the end. */
  const endsOf = ({ lines, steps, isSmall, format }: Drawing) =>
    lines.flatMap(({ end: name, isThin, ...line }) => {
      const value = valueAt(line, (isSmall ? crosshair.value : null) ?? inSight(steps)[1]);
      if (name === undefined || value === null) return [];
      const figure = !isSmall ? name : isThin ? '' : format(value);
      return { value, name: isSmall ? name : '', figure, colour: isThin ? '--quiet' : line.colour };
    });

  const drawWords = (chart: UPlot): void => {
    const { ctx, over } = chart;
    const { marks, unit } = drawing!;
    const lookedAt = drawing!.lookedAt?.value ?? null;
    const { offsetLeft: left, offsetTop: top, clientWidth: width, clientHeight: height } = over;
    const say = (words: string, x: number, y: number, colour: string, weight = 400): void => {
      ctx.font = font(weight);
      ctx.fillStyle = paint(colour);
      ctx.fillText(words, x, y + lineHeight / 2);
    };
    ctx.save();
    ctx.scale(UPlot.pxRatio, UPlot.pxRatio);
    ctx.textBaseline = 'middle';
    ctx.textAlign = 'left';
    if (unit !== undefined) say(unit, 0, 0, '--quiet');
    const ends = endsOf(drawing!).sort((one, other) => other.value - one.value);
    // Prevents labels from overlapping or leaving the plot.
    let y = top - 1.5 * lineHeight;
    for (const [rank, { value, colour, name, figure }] of ends.entries()) {
      const lowest = top + height - (ends.length - rank - 0.5) * lineHeight;
      y = Math.min(lowest, Math.max(y + lineHeight, top + chart.valToPos(value, 'y') - lineHeight / 2));
      const start = left + width + gap;
      say(name, start, y, colour);
      say(figure, start + widthOf(name === '' ? '' : `${name} `), y, colour, 600);
    }
    ctx.beginPath();
    ctx.rect(left, top, width, height);
    ctx.clip();
    ctx.lineWidth = 1.5;
    const shownStep = lookedAt === null ? [] : [{ step: lookedAt, lines: [], isLow: false }];
    for (const { step, lines, isLow } of [...shownStep, ...marks]) {
      const x = left + chart.valToPos(step, 'x');
      const isOfPage = step === lookedAt && lines.length === 0;
      ctx.strokeStyle = paint(isOfPage ? '--accent' : '--ink');
      ctx.setLineDash(isOfPage ? [] : [4, 4]);
      ctx.stroke(new Path2D(`M${x} ${top}v${height}`));
      const wrapped = lines.flatMap((line) => wrap(line, (words) => widthOf(words, 600) <= width));
      const wide = Math.max(0, ...wrapped.map((line) => widthOf(line, 600)));
      const start = Math.max(left, Math.min(x + gap, left + width - wide));
      const above = isLow ? top + height - wrapped.length * lineHeight : top;
      ctx.fillStyle = paint('--card', 75);
      ctx.fillRect(start, above, wide, wrapped.length * lineHeight);
      wrapped.forEach((line, row) => say(line, start, above + row * lineHeight, '--ink', 600));
    }
    ctx.restore();
  };

  const draw = (): void => {
    if (drawing === null || place.clientWidth === 0) return;
    const { lines, steps, range, isSmall, unit, marks, lookedAt } = drawing;
    const next = {
      lines,
      looks: JSON.stringify([isSmall, unit, lines.map(lookOf)]),
      axes: JSON.stringify([inSight(steps), range]),
      words: JSON.stringify([marks, lookedAt?.value, endsOf(drawing)]),
    };
    if (plot === null || next.looks !== shown.looks) {
      plot?.destroy();
      plot = create(drawing);
    } else if (next.lines !== shown.lines) plot.setData(dataOf(lines));
    else if (next.axes !== shown.axes) plot.setData(plot.data);
    else if (next.words !== shown.words) plot.redraw(false);
    shown = next;
  };
  const closing = new AbortController();
  const renew = (): void => {
    shown = {};
    palette.clear();
    draw();
  };
  for (const look of looks) matchMedia(look).addEventListener('change', renew, closing);
  const resized = new ResizeObserver(() => {
    if (plot === null) inTurn(draw);
    else if (place.clientWidth > 0) plot.setSize({ width: place.clientWidth, height: place.clientHeight });
  });
  resized.observe(place);
  return {
    show: (next) => {
      drawing = next;
      inTurn(draw);
    },
    close: () => {
      closing.abort();
      resized.disconnect();
      leaveTurn(draw);
      plot?.destroy();
      crosshair.value = null;
      if (group.plots.length === 0) zoom.value = null;
    },
  };
}

/** Breaks a text between words into lines that fit. A word that is too long has a line of its own. */
export function wrap(text: string, fits: (line: string) => boolean): string[] {
  const lines: string[] = [];
  for (const word of text.split(' ')) {
    const longer = lines.length === 0 ? word : `${lines.at(-1)!} ${word}`;
    if (lines.length > 0 && fits(longer)) lines[lines.length - 1] = longer;
    else lines.push(word);
  }
  return lines;
}
