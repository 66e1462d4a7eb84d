/**
 * One figure: a uPlot canvas with what it lacks for people who do not point with a mouse: a caption that says the
 * present values, a cursor moved by the arrow keys, a live region that reads it out, and the figures as a table.
 */
import { useSignal, useSignalEffect, type Signal } from '@preact/signals';
import { useEffect, useId, useMemo, useRef } from 'preact/hooks';
import uPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';
import {
  alphaOf,
  axis,
  axisRoom,
  bandSeries,
  bandsOf,
  drawAxisNames,
  drawEnds,
  drawLookedAt,
  drawMark,
  endRoom,
  seriesOf,
  topWithRoom,
  unitRoom,
  wholeIncrements,
  type ChartMark,
} from './chart-drawing';
import { ChartLegend } from './chart-legend';
import type { ChartLine } from './lines/chart-line';
import { highlighted, inSight, logarithmic, moveCursors, plots, zoom, zoomBy } from './chart-view';
import { watchLook } from '../ui/colour';
import { FigureTable, type Table } from './figure-table';
import { plainNumber } from '../ui/numbers';

export interface ChartProps {
  title: string;
  /** What the upright axis counts. */
  unit: string;
  /** Why one looks at it, one short sentence. */
  about: string;
  /** What else is to be known of it: with its table and its picture. */
  more?: string;
  lines: readonly ChartLine[];
  /** How far all charts go. */
  steps: number;
  range?: [number, number];
  /** The axis begins at 0: else a small change of a length looks like a fall to nothing. */
  isFromZero?: boolean;
  /** It has no ticks between whole numbers. */
  isWhole?: boolean;
  mark?: ChartMark | null;
  format?: (value: number) => string;
  /** A step chosen for the whole page: marked here, and moved by the arrow keys. */
  lookedAt?: Signal<number | null>;
}

/** How strong the other lines are drawn while a run is pointed at. */
const dimmed = 0.12;

const cursorGroup = 'marble';
const logarithmicScale: uPlot.Scale.Distr = 3;

function showAll(): null {
  zoom.value = null;
  return null;
}
/** A press that moves by fewer pixels is no drag. */
const leastDrag = 8;
/** What a key does to the width of the stretch in sight; 0 shows the whole run. */
const zoomKeys: Readonly<Record<string, number | undefined>> = { '+': 0.5, '-': 2, '0': 0 };

/** The lines side by side over all their steps; uPlot takes nothing else. */
function aligned(lines: readonly ChartLine[]): Table {
  const [first] = lines;
  if (first === undefined) return { steps: [], columns: [] };
  // Lines of one run have one list of steps, and joining would take most of the time.
  if (lines.every((line) => line.steps === first.steps)) {
    return { steps: [...first.steps], columns: lines.map((line) => [...line.values]) };
  }
  const tables = lines.map((line) => [[...line.steps], [...line.values]] as uPlot.AlignedData);
  const [steps, ...columns] = uPlot.join(tables);
  return { steps: [...steps], columns: columns.map((column) => [...column]) };
}

/** The edges of the bands over the steps of the table, high and low in turn. */
function bandColumns(lines: readonly ChartLine[], steps: readonly number[]): (number | null)[][] {
  return lines.flatMap((line) => {
    const { band } = line;
    if (band === undefined) return [];
    const place = new Map(line.steps.map((step, index) => [step, index]));
    const over = (values: readonly number[]): (number | null)[] =>
      steps.map((step) => values[place.get(step) ?? -1] ?? null);
    return [over(band.high), over(band.low)];
  });
}

type Column = readonly (number | null | undefined)[];

/** A logarithm takes what is above 0; a chart with anything below it stays as it is. */
function canBeLogarithmic(columns: readonly Column[]): boolean {
  return columns.every((column) => column.every((value) => value == null || value >= 0));
}

/** What has no logarithm is a gap. */
function withoutZeros(columns: readonly Column[]): (number | null)[][] {
  return columns.map((column) => column.map((value) => (value == null || value <= 0 ? null : value)));
}

/** A step at which any line has a value: one step on from `index` in `direction`, or where it stands at the end. */
function neighbour(length: number, index: number | null, key: string): number | null {
  if (length === 0) return null;
  const last = length - 1;
  const at = index ?? last;
  const moves: Record<string, number> = {
    ArrowLeft: at - 1,
    ArrowRight: at + 1,
    PageUp: at - 10,
    PageDown: at + 10,
    Home: 0,
    End: last,
  };
  return key in moves ? Math.min(last, Math.max(0, moves[key])) : null;
}

export function Chart(props: ChartProps) {
  const {
    title,
    unit,
    about,
    more,
    lines,
    steps,
    range,
    isFromZero = false,
    isWhole = false,
    mark = null,
    format = plainNumber,
    lookedAt,
  } = props;
  const place = useRef<HTMLDivElement>(null);
  const plot = useRef<uPlot | null>(null);
  const hidden = useSignal<ReadonlySet<string>>(new Set());
  const cursor = useSignal<number | null>(null);
  const spoken = useSignal('');
  const captionId = useId();
  const table = useMemo(() => aligned(lines), [lines]);
  const figuresOpen = useSignal(false);
  const isLogarithmic = logarithmic.value && range === undefined && canBeLogarithmic(table.columns);
  const drawn = useMemo((): uPlot.AlignedData => {
    const columns = [...table.columns, ...bandColumns(lines, table.steps)];
    return [table.steps, ...(isLogarithmic ? withoutZeros(columns) : columns)];
  }, [table, isLogarithmic]);
  // uPlot's hooks outlive a rendering and must see the latest one.
  const latest = useRef({ lines, mark, steps });
  latest.current = { lines, mark, steps };

  /** A new plot is made only when the lines change in kind; new values go into the old one. */
  const kinds = lines.map(
    (l) => `${l.label}|${l.colour}|${l.faint}|${l.dash}|${l.points}|${l.band === undefined}`,
  );
  const structure = `${kinds.join('\n')}|${isLogarithmic}`;

  useEffect(() => {
    const element = place.current!;
    const made = new uPlot(
      {
        width: element.clientWidth,
        height: element.clientHeight,
        legend: { show: false },
        cursor: {
          sync: { key: cursorGroup, setSeries: false },
          drag: { x: true, y: false, setScale: false },
          // A double click shows the whole run again.
          bind: { dblclick: () => showAll },
          points: { size: 7 },
        },
        scales: {
          x: { time: false, range: () => inSight(latest.current.steps) },
          y:
            range !== undefined
              ? { range }
              : isLogarithmic
                ? { distr: logarithmicScale }
                : isFromZero
                  ? {
                      range: (_, __, most: number | null) => [
                        0,
                        topWithRoom(most ?? 0, latest.current.mark, element.clientHeight),
                      ],
                    }
                  : {},
        },
        padding: [unitRoom, endRoom, null, null],
        axes: [
          {
            ...axis(element, axisRoom),
            incrs: [...wholeIncrements],
            values: (_, ticks) => ticks.map(String),
          },
          {
            ...axis(element, 48),
            ...(isWhole && { incrs: [...wholeIncrements] }),
            values: (_, ticks) => ticks.map((tick) => (tick == null ? '' : format(tick))),
          },
        ],
        series: [{}, ...lines.map((line) => seriesOf(line, element)), ...bandSeries(lines)],
        bands: bandsOf(lines, element),
        hooks: {
          draw: [
            (u) => drawLookedAt(u, lookedAt?.peek() ?? null, element),
            (u) => drawMark(u, latest.current.mark, element),
            (u) => drawEnds(u, latest.current.lines, element),
            (u) => drawAxisNames(u, unit, element),
          ],
          setCursor: [(u) => (cursor.value = u.cursor.idx ?? null)],
          setSelect: [
            (u) => {
              const { left, width } = u.select;
              if (width < leastDrag) return;
              zoom.value = [u.posToVal(left, 'x'), u.posToVal(left + width, 'x')];
              u.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
            },
          ],
        },
      },
      drawn,
      element,
    );
    plot.current = made;
    plots.add(made);
    const watcher = new ResizeObserver(() =>
      made.setSize({ width: element.clientWidth, height: element.clientHeight }),
    );
    watcher.observe(element);
    const repaint = (): void => made.redraw(false, true);
    const stopWatching = watchLook(repaint);
    // Paper is light: `printing` in main.tsx comes first.
    addEventListener('beforeprint', repaint);
    addEventListener('afterprint', repaint);
    return () => {
      removeEventListener('beforeprint', repaint);
      removeEventListener('afterprint', repaint);
      stopWatching();
      watcher.disconnect();
      plots.delete(made);
      made.destroy();
      plot.current = null;
    };
  }, [structure]);

  useEffect(() => {
    plot.current?.setData(drawn);
  }, [drawn, zoom.value, steps]);

  const pointedAt = highlighted.value;
  useEffect(() => {
    const u = plot.current;
    if (u === null) return;
    const isIts = ({ label }: ChartLine): boolean =>
      label === pointedAt || label.startsWith(`${pointedAt}: `);
    const isHere = pointedAt !== null && lines.some(isIts);
    lines.forEach((line, index) => {
      u.series[index + 1].alpha = isHere ? (isIts(line) ? 1 : dimmed) : alphaOf(line);
    });
    u.redraw(false, false);
  }, [structure, pointedAt]);

  useEffect(() => {
    let edge = lines.length;
    lines.forEach((line, index) => {
      const show = !hidden.value.has(line.label);
      plot.current?.setSeries(index + 1, { show });
      if (line.band !== undefined)
        for (let side = 0; side < 2; side++) plot.current?.setSeries(++edge, { show });
    });
  }, [structure, hidden.value]);

  useSignalEffect(() => {
    const step = lookedAt?.value;
    if (step !== undefined) plot.current?.redraw(false, false);
  });

  /** What the values are of: the cursor's place, else the step that is looked at (−1 before the first with a value), else the end. */
  const chosenIndex = (): number | null => {
    const step = lookedAt?.value ?? null;
    if (cursor.value !== null || step === null) return cursor.value;
    return table.steps.findLastIndex((at) => at <= step);
  };
  const valueAt = (column: number, index: number | null): number | null => {
    const values = table.columns[column];
    if (index !== null) return values[index] ?? null;
    return values.findLast((value) => value != null) ?? null;
  };

  const onKeyDown = (event: KeyboardEvent): void => {
    const zoomed = zoomKeys[event.key];
    if (zoomed !== undefined && !event.ctrlKey && !event.metaKey) {
      event.preventDefault();
      const at = chosenIndex();
      if (zoomed === 0) zoom.value = null;
      else zoomBy(zoomed, steps, at === null ? null : (table.steps[at] ?? 0));
      const [from, to] = inSight(steps);
      spoken.value = `From step ${Math.round(from)} to step ${Math.round(to)} in sight`;
      return;
    }
    const index = neighbour(table.steps.length, chosenIndex(), event.key);
    const u = plot.current;
    if (index === null || u === null) return;
    event.preventDefault();
    moveCursors(table.steps[index]);
    if (lookedAt !== undefined) lookedAt.value = table.steps[index];
    const values = lines.flatMap((line, column) => {
      const value = line.faint === true ? null : (table.columns[column][index] ?? null);
      return value === null ? [] : [`${line.label} ${format(value)}`];
    });
    spoken.value = `Step ${table.steps[index]}: ${values.join(', ') || 'no value'}`;
  };

  const index = chosenIndex();
  const at = index === null ? table.steps.at(-1) : (table.steps[index] ?? 0);
  return (
    <figure class="chart" aria-labelledby={captionId}>
      <figcaption>
        <div class="chart-head">
          <h3 id={captionId}>{title}</h3>
          {at === undefined ? null : <span class="at">step {at}</span>}
        </div>
        <p>{about}</p>
      </figcaption>
      <div
        class="plot"
        ref={place}
        tabIndex={0}
        role="group"
        aria-roledescription="chart"
        aria-label={`${title} by step; the arrow keys move the cursor, + and − zoom, 0 shows the whole run`}
        onKeyDown={onKeyDown}
      />
      <p class="visually-hidden" aria-live="polite">
        {spoken}
      </p>
      <ChartLegend
        lines={lines}
        hidden={hidden}
        valueOf={(column) => valueAt(column, index)}
        format={format}
      />
      <details class="figures" onToggle={(event) => (figuresOpen.value = event.currentTarget.open)}>
        <summary>
          {more === undefined ? 'Table and picture' : 'More, table and picture'}
          <span class="visually-hidden"> of {title}</span>
        </summary>
        {more === undefined ? null : <p>{more}</p>}
        <button
          type="button"
          onClick={() =>
            void import('./chart-image').then(({ saveChartImage }) =>
              plot.current === null ? undefined : saveChartImage(plot.current, title, lines, place.current!),
            )
          }
        >
          Save as PNG
        </button>
        {figuresOpen.value ? <FigureTable title={title} lines={lines} table={table} format={format} /> : null}
      </details>
    </figure>
  );
}
