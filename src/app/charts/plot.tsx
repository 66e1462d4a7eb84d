/** Draws lines with uPlot, which provides axes, bands, cursor and zoom. Adds labels at the line ends, keys and speech. */
import { effect, useSignal, type Signal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import UPlot from 'uplot';
import { crosshair, inSight, zoom, zoomIn } from './chart-view';
import { dashOf, toldAt, valueAt, type ChartLine } from './lines/chart-line';

export interface Drawing {
  /** Description for screen readers. */
  label: string;
  lines: readonly ChartLine[];
  /** Length of the x axis in steps. The zoom may show less. */
  steps: number;
  /** Ends of the y axis, unless a visible value lies beyond. */
  ends?: readonly [low?: number, high?: number];
  /** Last step of the warm start, after which rewards begin; 0 or absent without one. */
  border?: number;
  /** Shows values at the line ends. */
  isSmall?: boolean;
  format: (value: number) => string;
  /** Step that the page shows. The cursor rests there, and the arrow keys move it. */
  lookedAt?: Signal<number | null>;
}

/** All plots of the page. */
export const plots = new Set<UPlot>();

const gap = 6;

function dataOf(lines: readonly ChartLine[]): UPlot.AlignedData {
  const tables = lines.map(({ steps, values, band }) => [
    steps,
    values,
    ...(band ? [band.high, band.low] : []),
  ]);
  return UPlot.join([[[]], ...tables] as UPlot.AlignedData[]);
}

/** Resolves a CSS custom property in the present colour scheme. */
function paint({ ctx: { canvas } }: UPlot, colour: string): string {
  canvas.style.color = `var(${colour})`;
  return getComputedStyle(canvas).color;
}

function rangeOf(
  least: number | null,
  most: number | null,
  [low, high]: Drawing['ends'] = [],
): UPlot.Range.MinMax {
  if (least === null || most === null || !Number.isFinite(most - least)) return [low ?? 0, high ?? 1];
  const pad = 0.05;
  const isNoise = most - least < 1e-3 * Math.abs(most); // draws a constant with rounding errors as a level line
  return UPlot.rangeNum(least, isNoise ? least : most, {
    min: { pad, soft: low ?? 0, mode: low === undefined ? 3 : 1 },
    max: { pad, soft: high, mode: high === undefined ? 0 : 1 },
  });
}

/** Step under a position of the mouse; null outside of the plot. */
const stepAt = (chart: UPlot, left = -1): number | null =>
  left < 0 ? null : Math.round(chart.posToVal(left, 'x'));

/** Moves the line of the cursor to the step that all charts share. */
function placeCursor(chart: UPlot | null, { lookedAt }: Drawing): void {
  const step = crosshair.value ?? lookedAt?.value ?? null;
  chart?.setCursor({ left: step === null ? -10 : chart.valToPos(step, 'x'), top: 0 }, false);
}

/**
 * Creates a plot that fills its place. The number of lines and their looks remain those at the creation.
 *
 * @param now - returns what to draw, and is called at each drawing
 */
function createPlot(place: HTMLElement, now: () => Drawing): UPlot {
  const { lines, isSmall = false } = now();
  const { fontFamily, fontSize } = getComputedStyle(place);
  const size = Math.round(Number.parseFloat(fontSize));
  const lineHeight = 1.25 * size;
  const room = (characters: number): number => 0.62 * size * characters + gap;
  const series: UPlot.Series[] = [{}];
  const bands: UPlot.Band[] = [];
  // With forced colours, dashes replace hues.
  const hues = matchMedia('(forced-colors: active)').matches ? lines.map(({ colour }) => colour) : [];
  for (const { colour, points, faint, band, dash = Math.max(0, hues.indexOf(colour)) } of lines) {
    series.push({
      stroke: (chart) => paint(chart, colour),
      alpha: faint ? 0.4 : 1,
      width: faint ? 1.25 : 2.25,
      dash: dashOf(dash),
      paths: points === 'only' ? () => null : undefined,
      points: {
        // A line of one value is a dot.
        show: ({ data }, at) =>
          Boolean(points) || Array.from(data[at]).filter((value) => value != null).length === 1,
        size: 6,
        width: 0,
      },
    });
    if (band === undefined) continue;
    const edge = { width: 0, points: { show: false } };
    const fill = (chart: UPlot): string => `color-mix(in srgb, ${paint(chart, colour)} 16%, transparent)`;
    bands.push({ series: [series.length, series.length + 1], fill });
    series.push(edge, edge);
  }

  /** Draws over the plot, in pixels of the page. */
  const painted = (draw: (chart: UPlot) => void) => (chart: UPlot) => {
    chart.ctx.save();
    chart.ctx.scale(UPlot.pxRatio, UPlot.pxRatio);
    draw(chart);
    chart.ctx.restore();
  };

  const drawEnds = painted((chart) => {
    const { ctx, over } = chart;
    const { lines, steps, format } = now();
    const at = (isSmall ? crosshair.value : null) ?? inSight(steps)[1];
    const ends = lines.flatMap(({ end, colour, faint, ...line }) => {
      const value = valueAt(line, at);
      if (end === undefined || value === null) return [];
      return { value, words: isSmall && !faint ? `${end} ${format(value)}`.trim() : end, colour, faint };
    });
    ctx.textBaseline = 'middle';
    ctx.textAlign = 'left';
    // Prevents labels from overlapping or leaving the plot.
    let y = over.offsetTop - lineHeight;
    ends.sort((one, other) => other.value - one.value);
    for (const [rank, { value, words, colour, faint }] of ends.entries()) {
      const lowest = over.offsetTop + over.clientHeight - (ends.length - rank - 1) * lineHeight;
      y = Math.min(lowest, Math.max(y + lineHeight, over.offsetTop + chart.valToPos(value, 'y')));
      ctx.font = `${faint ? 400 : 600} ${size}px ${fontFamily}`;
      ctx.fillStyle = paint(chart, faint ? '--quiet' : colour);
      ctx.fillText(words, over.offsetLeft + over.clientWidth + gap, y);
    }
  });

  const drawBorder = painted((chart) => {
    const { ctx, over } = chart;
    const { border = 0, steps } = now();
    const [first, last] = inSight(steps);
    if (border === 0 || border < first || border > last) return;
    const x = over.offsetLeft + chart.valToPos(border, 'x');
    const isRight = border > (first + last) / 2;
    ctx.fillStyle = paint(chart, '--quiet');
    for (let y = 0; y < over.clientHeight; y += 8) ctx.fillRect(x - 0.5, over.offsetTop + y, 1, 4);
    ctx.font = `${size}px ${fontFamily}`;
    ctx.textBaseline = 'top';
    ctx.textAlign = isRight ? 'right' : 'left';
    ctx.fillText('rewards begin', x + (isRight ? -gap : gap), over.offsetTop);
  });

  const axis: UPlot.Axis = {
    ...{ font: `${size}px ${fontFamily}`, stroke: (chart) => paint(chart, '--quiet') },
    ...{ ticks: { show: false }, gap, space: 26 },
  };
  const wordsOf = (tick: number, at: number): string =>
    Number.isInteger(tick) ? `${at === 0 ? 'step ' : ''}${tick}` : '';
  const longest = Math.max(...lines.map(({ end = '' }) => end.length), 0) + (isSmall ? 5 : 0);
  return new UPlot(
    {
      ...{ width: place.clientWidth, height: place.clientHeight },
      ...{ series, bands, legend: { show: false }, padding: [size, room(longest) + gap, 0, 0] },
      scales: {
        x: { time: false, range: () => inSight(now().steps) },
        y: { range: (_, least, most) => rangeOf(least, most, now().ends) },
      },
      axes: [
        {
          ...axis,
          space: 50,
          size: lineHeight + gap,
          grid: { show: false },
          values: (_, ticks) => ticks.map(wordsOf),
        },
        {
          ...{ ...axis, size: room(6), values: (_, ticks) => ticks.map(now().format) },
          grid: { stroke: (chart) => paint(chart, '--rule'), width: 1 },
        },
      ],
      cursor: {
        ...{ y: false, points: { show: false }, drag: { x: true, y: false, setScale: false, dist: 5 } },
        move: (chart, left, top) => [left < 0 ? left : chart.valToPos(stepAt(chart, left)!, 'x'), top],
        bind: { dblclick: () => () => (zoom.value = null) },
      },
      hooks: {
        init: [(chart) => plots.add(chart)],
        destroy: [(chart) => plots.delete(chart)],
        setCursor: [
          // A redraw sends the position in which the page has put the cursor. Only the pointer moves the others.
          (chart) => {
            if ((chart.cursor.left ?? -1) >= 0 && !chart.over.matches(':hover')) return;
            crosshair.value = stepAt(chart, chart.cursor.left);
          },
        ],
        setSelect: [
          (chart) => {
            const { left, width } = chart.select;
            chart.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
            if (width > 0) zoom.value = [chart.posToVal(left, 'x'), chart.posToVal(left + width, 'x')];
          },
        ],
        draw: [drawBorder, drawEnds, (chart) => placeCursor(chart, now())],
      },
    },
    dataOf(lines),
    place,
  );
}

/** Maps a key to the next index, from the index `at` and the last index. */
const keys: Readonly<Record<string, (at: number, last: number) => number>> = {
  ArrowLeft: (at) => at - 1,
  ArrowRight: (at) => at + 1,
  PageUp: (at) => at - 10,
  PageDown: (at) => at + 10,
  Home: () => 0,
  End: (_, last) => last,
};

export function PlotArea(props: Drawing) {
  const { lines, steps, lookedAt } = props;
  const place = useRef<HTMLDivElement>(null);
  const plot = useRef<UPlot | null>(null);
  const now = useRef(props);
  now.current = props;
  const scheme = useSignal(0);
  const spoken = useSignal('');
  /** Properties that are fixed when uPlot is created. */
  const looks = JSON.stringify([
    scheme.value,
    lines.map((line) => ({ ...line, steps: 0, values: 0, band: !line.band })),
  ]);
  useEffect(() => {
    const closing = new AbortController();
    for (const query of ['(prefers-color-scheme: dark)', '(forced-colors: active)'])
      matchMedia(query).addEventListener('change', () => scheme.value++, closing);
    const resized = new ResizeObserver(([{ contentRect }]) => plot.current?.setSize(contentRect));
    resized.observe(place.current!);
    const stop = effect(() => placeCursor(plot.current, now.current));
    return () => {
      stop();
      closing.abort();
      resized.disconnect();
      plot.current?.destroy();
      crosshair.value = null;
      if (plots.size === 0) zoom.value = null;
    };
  }, []);
  // One task per chart. All charts of a long run in one task would block the page.
  const inTask = (act: () => void) => () => {
    const turn = setTimeout(act);
    return () => clearTimeout(turn);
  };
  const create = (): void => {
    if (place.current === null) return; // the page has left the chart meanwhile
    plot.current?.destroy();
    plot.current = createPlot(place.current, () => now.current);
  };
  useEffect(inTask(create), [looks]);
  const redrawn = props.isSmall === true && crosshair.value;
  const redraw = (): void => plot.current?.setData(dataOf(lines));
  useEffect(inTask(redraw), [lines, steps, zoom.value, redrawn]);
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.ctrlKey || event.metaKey || event.altKey) return; // with these the browser zooms the page
    if (event.key === '+') zoomIn(steps);
    if (event.key === '-') zoom.value = null;
    const all = Array.from(plot.current?.data[0] ?? []);
    const last = all.length - 1;
    const from = crosshair.value ?? lookedAt?.value ?? Infinity;
    const at = all.findLastIndex((step) => step <= from);
    const step = all[Math.min(last, Math.max(0, keys[event.key]?.(at, last) ?? NaN))];
    if (step === undefined) return;
    event.preventDefault();
    crosshair.value = step;
    if (lookedAt !== undefined) lookedAt.value = step;
    spoken.value = `Step ${step}: ${toldAt(lines, step, props.format) || 'no value'}`;
  };
  return (
    <div
      class="canvas"
      ref={place}
      tabIndex={0}
      role="group"
      aria-roledescription="chart"
      aria-label={props.label}
      onKeyDown={onKeyDown}
      onBlur={() => (crosshair.value = null)}
    >
      <p class="visually-hidden" aria-live="polite">
        {spoken}
      </p>
    </div>
  );
}
