/**
 * One figure: a uPlot canvas with what it lacks for people who do not point with a mouse: a caption that says the
 * present values, a cursor moved by the arrow keys, a live region that reads it out, and the figures as a table.
 */
import { useSignal, useSignalEffect, type Signal } from '@preact/signals';
import { useEffect, useId, useMemo, useRef } from 'preact/hooks';
import uPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';
import type { ChartLine } from './chart-line';
import { colourOf } from './colour';
import { plainNumber } from './numbers';

export interface ChartMark {
  step: number;
  lines: string[];
}

export interface ChartProps {
  title: string;
  /** Why one looks at it, one sentence. */
  about: string;
  lines: readonly ChartLine[];
  /** Steps of the whole run: all charts have the same axis. */
  steps: number;
  range?: [number, number];
  mark?: ChartMark | null;
  format?: (value: number) => string;
  /** A step chosen for the whole page: marked here, and moved by the arrow keys. */
  lookedAt?: Signal<number | null>;
}

/** Every chart of the page shares one cursor. */
const cursorGroup = 'marble';
const tableRows = 24;

interface Table {
  steps: number[];
  columns: (number | null | undefined)[][];
}

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
  const { title, about, lines, steps, range, mark = null, format = plainNumber, lookedAt } = props;
  const place = useRef<HTMLDivElement>(null);
  const plot = useRef<uPlot | null>(null);
  const hidden = useSignal<ReadonlySet<string>>(new Set());
  const cursor = useSignal<number | null>(null);
  const spoken = useSignal('');
  const captionId = useId();
  const table = useMemo(() => aligned(lines), [lines]);
  const figuresOpen = useSignal(false);
  // uPlot's hooks outlive a rendering and must see the latest one.
  const latest = useRef({ table, lines, mark, steps });
  latest.current = { table, lines, mark, steps };

  /** A new plot is made only when the lines change in kind; new values go into the old one. */
  const structure = lines.map((l) => `${l.label}|${l.colour}|${l.faint}|${l.dashed}|${l.points}`).join('\n');

  useEffect(() => {
    const element = place.current!;
    const made = new uPlot(
      {
        width: element.clientWidth,
        height: element.clientHeight,
        legend: { show: false },
        cursor: {
          sync: { key: cursorGroup, setSeries: false },
          drag: { x: false, y: false },
          points: { size: 7 },
        },
        scales: {
          x: { time: false, range: () => [0, Math.max(1, latest.current.steps)] },
          y: range === undefined ? {} : { range },
        },
        axes: [axis(element, 24), { ...axis(element, 48), values: (_, ticks) => ticks.map(format) }],
        series: [{}, ...lines.map((line) => seriesOf(line, element))],
        hooks: {
          draw: [
            (u) => drawLookedAt(u, lookedAt?.peek() ?? null, element),
            (u) => drawMark(u, latest.current.mark, element),
          ],
          setCursor: [(u) => (cursor.value = u.cursor.idx ?? null)],
        },
      },
      [table.steps, ...table.columns],
      element,
    );
    plot.current = made;
    const watcher = new ResizeObserver(() =>
      made.setSize({ width: element.clientWidth, height: element.clientHeight }),
    );
    watcher.observe(element);
    const scheme = matchMedia('(prefers-color-scheme: dark)');
    const repaint = (): void => made.redraw(false, true);
    scheme.addEventListener('change', repaint);
    // Paper is light: `printing` in main.tsx comes first.
    addEventListener('beforeprint', repaint);
    addEventListener('afterprint', repaint);
    return () => {
      removeEventListener('beforeprint', repaint);
      removeEventListener('afterprint', repaint);
      scheme.removeEventListener('change', repaint);
      watcher.disconnect();
      made.destroy();
      plot.current = null;
    };
  }, [structure]);

  useEffect(() => {
    plot.current?.setData([table.steps, ...table.columns]);
  }, [table]);

  useEffect(() => {
    lines.forEach((line, index) =>
      plot.current?.setSeries(index + 1, { show: !hidden.value.has(line.label) }),
    );
  }, [structure, hidden.value]);

  useSignalEffect(() => {
    const step = lookedAt?.value;
    if (step !== undefined) plot.current?.redraw(false, false);
  });

  /** What the legend speaks of: the cursor's place, else the step that is looked at, else the end. */
  const chosenIndex = (): number | null => {
    const step = lookedAt?.value ?? null;
    if (cursor.value !== null || step === null) return cursor.value;
    const index = table.steps.findLastIndex((at) => at <= step);
    return index === -1 ? null : index;
  };
  const valueAt = (column: number, index: number | null): number | null => {
    const values = table.columns[column];
    if (index !== null) return values[index] ?? null;
    return values.findLast((value) => value != null) ?? null;
  };

  const onKeyDown = (event: KeyboardEvent): void => {
    const index = neighbour(table.steps.length, chosenIndex(), event.key);
    const u = plot.current;
    if (index === null || u === null) return;
    event.preventDefault();
    u.setCursor({ left: u.valToPos(table.steps[index], 'x'), top: u.over.clientHeight / 2 });
    if (lookedAt !== undefined) lookedAt.value = table.steps[index];
    const values = lines.flatMap((line, column) => {
      const value = line.faint === true ? null : (table.columns[column][index] ?? null);
      return value === null ? [] : [`${line.label} ${format(value)}`];
    });
    spoken.value = `Step ${table.steps[index]}: ${values.join(', ') || 'no value'}`;
  };

  const toggle = (label: string): void => {
    const next = new Set(hidden.value);
    if (!next.delete(label)) next.add(label);
    hidden.value = next;
  };

  return (
    <figure class="chart" aria-labelledby={captionId}>
      <figcaption>
        <h3 id={captionId}>{title}</h3>
        <p>{about}</p>
      </figcaption>
      <div
        class="plot"
        ref={place}
        tabIndex={0}
        role="group"
        aria-roledescription="chart"
        aria-label={`${title} by step; the arrow keys move the cursor`}
        onKeyDown={onKeyDown}
      />
      <p class="visually-hidden" aria-live="polite">
        {spoken}
      </p>
      <ul class="legend">
        {lines.map((line, column) => {
          const value = valueAt(column, chosenIndex());
          return (
            <li key={line.label}>
              <button
                type="button"
                aria-pressed={!hidden.value.has(line.label)}
                onClick={() => toggle(line.label)}
                class={line.faint === true ? 'faint' : line.dashed === true ? 'dashed' : ''}
              >
                <i style={{ '--line': `var(${line.colour})` }} />
                {line.label}
                {value === null ? null : <b>{format(value)}</b>}
              </button>
            </li>
          );
        })}
      </ul>
      <details class="figures" onToggle={(event) => (figuresOpen.value = event.currentTarget.open)}>
        <summary>
          Table and picture<span class="visually-hidden"> of {title}</span>
        </summary>
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

function FigureTable(props: {
  title: string;
  lines: readonly ChartLine[];
  table: Table;
  format: (value: number) => string;
}) {
  const { title, lines, table, format } = props;
  const every = Math.max(1, Math.ceil(table.steps.length / tableRows));
  const rows = table.steps.flatMap((step, index) =>
    index % every === 0 || index === table.steps.length - 1 ? [{ step, index }] : [],
  );
  return (
    <div class="scroll" tabIndex={0} role="region" aria-label={`Figures of ${title}`}>
      <table>
        <thead>
          <tr>
            <th scope="col">step</th>
            {lines.map((line) => (
              <th scope="col" key={line.label}>
                {line.label}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map(({ step, index }) => (
            <tr key={step}>
              <th scope="row">{step}</th>
              {lines.map((line, column) => {
                const value = table.columns[column][index] ?? null;
                return <td key={line.label}>{value === null ? '' : format(value)}</td>;
              })}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function axis(element: Element, size: number): uPlot.Axis {
  const rule = { stroke: () => colourOf('--rule', element), width: 1 };
  return {
    size,
    stroke: () => colourOf('--quiet', element),
    font: '13px system-ui, sans-serif',
    grid: rule,
    ticks: { ...rule, size: 4 },
    gap: 3,
  };
}

function seriesOf(line: ChartLine, element: Element): uPlot.Series {
  return {
    label: line.label,
    stroke: () => colourOf(line.colour, element),
    width: line.faint === true ? 1 : 2.25,
    alpha: line.faint === true ? 0.35 : 1,
    dash: line.dashed === true ? [6, 5] : undefined,
    spanGaps: true,
    points: { show: line.points === true, size: 5, fill: () => colourOf(line.colour, element) },
  };
}

/** A thin upright at the step that the whole page speaks of. */
function drawLookedAt(u: uPlot, step: number | null, element: Element): void {
  if (step === null) return;
  const x = u.valToPos(step, 'x', true);
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

/** A dashed upright with its text, at the step it speaks of. */
function drawMark(u: uPlot, mark: ChartMark | null, element: Element): void {
  if (mark === null) return;
  const ratio = devicePixelRatio;
  const x = u.valToPos(mark.step, 'x', true);
  const { ctx } = u;
  const { left, top, width, height } = u.bbox;
  ctx.save();
  ctx.strokeStyle = ctx.fillStyle = colourOf('--collapse', element);
  ctx.lineWidth = 1.5 * ratio;
  ctx.setLineDash([4 * ratio, 4 * ratio]);
  ctx.beginPath();
  ctx.moveTo(x, top);
  ctx.lineTo(x, top + height);
  ctx.stroke();
  ctx.font = `600 ${13 * ratio}px system-ui, sans-serif`;
  ctx.textBaseline = 'top';
  ctx.textAlign = 'left';
  const gap = 6 * ratio;
  const rowHeight = 17 * ratio;
  const textWidth = Math.max(...mark.lines.map((line) => ctx.measureText(line).width));
  const onRight = x + gap + textWidth <= left + width;
  const textLeft = onRight ? x + gap : x - gap - textWidth;
  // A curve that collapses is high before the mark and low after it: the words stand where it is not.
  const textHeight = rowHeight * mark.lines.length + gap;
  const textTop = onRight ? top : top + height - textHeight;
  const ink = ctx.fillStyle;
  // The words may stand on a curve: the card shines through them but little.
  ctx.globalAlpha = 0.8;
  ctx.fillStyle = colourOf('--card', element);
  ctx.fillRect(textLeft, textTop, textWidth, textHeight);
  ctx.globalAlpha = 1;
  ctx.fillStyle = ink;
  mark.lines.forEach((line, row) => ctx.fillText(line, textLeft, textTop + gap / 2 + row * rowHeight));
  ctx.restore();
}
