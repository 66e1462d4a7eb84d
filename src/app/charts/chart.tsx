/** One figure: its lines over the steps, a legend with their values, and the figures as a table and as a picture. */
import { useSignal, type Signal } from '@preact/signals';
import { useId, useMemo, useRef } from 'preact/hooks';
import { plainNumber } from '../ui/numbers';
import { Scroll, Table } from '../ui/table';
import { roundAxis } from './axes';
import { crosshair, highlighted } from './chart-view';
import { dashOf, extentOf, lettersOf, seenPart, stepsOf, valueAt, type ChartLine } from './lines/curve';
import { PlotArea, type LineEnd } from './plot-area';
import { inSight, useZooming } from './zooming';

/** A step at which something is said. */
export interface ChartMark {
  step: number;
  lines: string[];
  /** The curve is above: the words stand below it. */
  isLow?: boolean;
}

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
  range?: readonly [number, number];
  /** The axis begins at 0: else a small change of a length looks like a fall to nothing. */
  isFromZero?: boolean;
  /** It has no ticks between whole numbers. */
  isWhole?: boolean;
  mark?: ChartMark | null;
  format?: (value: number) => string;
  /** A step chosen for the whole page: marked here, and moved by the arrow keys. */
  lookedAt?: Signal<number | null>;
}

/** Smallest height of an axis, relative to its largest value if that exceeds 1. */
const leastSpan = 1e-3;

/** Of lines and bands between two steps; from 0 to 1 where nothing is. */
export function seenExtent(
  lines: readonly ChartLine[],
  from: number,
  to: number,
): [least: number, most: number] {
  const edges = lines.flatMap(({ steps, values, band }) =>
    [values, band?.low ?? [], band?.high ?? []].map((edge) =>
      seenPart({ steps, values: edge }, { from, to }),
    ),
  );
  const [least, most] = extentOf(edges);
  if (least > most) return [0, 1];
  // Rounding noise of a constant is drawn as a level line.
  const span = leastSpan * Math.max(1, Math.abs(least), Math.abs(most));
  const lacking = Math.max(0, span - (most - least)) / 2;
  return [least - lacking, most + lacking];
}

/** The last one has a word behind it, of which the others keep clear. */
function stepTicksOf(from: number, to: number): number[] {
  const ticks = roundAxis(from, to, 5, true).ticks.filter((tick) => tick >= from && tick <= to);
  const last = ticks.at(-1) ?? to;
  return ticks.filter((tick) => tick === last || last - tick > 0.35 * (to - from));
}

/** How its line is drawn while a run is pointed at whose name is `pointedAt`. */
function withLook(line: ChartLine, pointedAt: string | null): ChartLine {
  const isIts = pointedAt === null || line.label === pointedAt || line.label.startsWith(`${pointedAt}: `);
  return { ...line, look: !isIts ? 'dimmed' : line.faint === true ? 'faint' : '' };
}

export function Chart(props: ChartProps) {
  const { title, unit, about, more, lines, steps, range, isFromZero = false, isWhole = false } = props;
  const { mark = null, format = plainNumber, lookedAt } = props;
  const figure = useRef<HTMLElement>(null);
  const hidden = useSignal<ReadonlySet<string>>(new Set());
  const captionId = useId();
  const figuresOpen = useSignal(false);
  const [from, to] = inSight(steps);
  const drawn = useMemo(() => lines.filter(({ label }) => !hidden.value.has(label)), [lines, hidden.value]);
  const axis = useMemo(() => {
    const [least, most] = range ?? seenExtent(drawn, from, to);
    return roundAxis(isFromZero ? 0 : least, most, 4, isWhole);
  }, [drawn, from, to, range?.join(), isFromZero, isWhole]);

  const letters = lettersOf(lines);
  const ends = drawn.flatMap((line): LineEnd[] => {
    const letter = letters[lines.findIndex(({ label }) => label === line.label)];
    const value = valueAt(seenPart(line, { from, to }), to);
    return letter === null || value === null
      ? []
      : [{ key: letter, colour: line.colour, value, label: letter }];
  });
  const pointedAt = lines.some(({ label }) => label.split(': ')[0] === highlighted.value)
    ? highlighted.value
    : null;
  /** Where somebody points, else where the page stands, else (null) the end. */
  const chosen = crosshair.value ?? lookedAt?.value ?? null;
  const zooming = useZooming(steps);
  const places = lines.flatMap(
    (line) => line.steps.findLast((step) => chosen === null || step <= chosen) ?? [],
  );
  const at = places.length > 0 ? Math.max(...places) : lines.some((line) => line.steps.length > 0) ? 0 : null;
  return (
    <figure class="chart" aria-labelledby={captionId} ref={figure}>
      <figcaption>
        <div class="chart-head">
          <h3 id={captionId}>{title}</h3>
          {at === null ? null : <span class="at">step {at}</span>}
        </div>
        <p>{about}</p>
      </figcaption>
      <div {...zooming.listeners}>
        <PlotArea
          label={`${title} by step; the arrow keys move the cursor`}
          lines={drawn.map((line) => withLook(line, pointedAt))}
          sight={{ from, to, low: axis.low, high: axis.high }}
          stepTicks={stepTicksOf(from, to)}
          valueTicks={axis.ticks}
          format={format}
          ends={ends}
          lookedAt={lookedAt}
          mark={mark?.step}
        >
          {zooming.selection}
          <span class="unit" aria-hidden="true">
            {unit}
          </span>
          {mark === null || mark.step < from || mark.step > to ? null : (
            <span
              class={mark.isLow === true ? 'mark-words low' : 'mark-words'}
              style={{ '--at': `${(100 * (mark.step - from)) / (to - from)}%` }}
            >
              <span>{mark.lines.map((line) => [line, <br key={line} />])}</span>
            </span>
          )}
        </PlotArea>
      </div>
      <ChartLegend lines={lines} letters={letters} hidden={hidden} at={chosen} format={format} />
      <details class="figures" onToggle={(event) => (figuresOpen.value = event.currentTarget.open)}>
        <summary>
          {more === undefined ? 'Table and picture' : 'More, table and picture'}
          <span class="visually-hidden"> of {title}</span>
        </summary>
        {more === undefined ? null : <p>{more}</p>}
        <button
          type="button"
          onClick={() =>
            void import('./chart-image').then(({ saveChartImage }) => saveChartImage(figure.current!, title))
          }
        >
          Save as PNG
        </button>
        {figuresOpen.value ? (
          <Scroll label={`Figures of ${title}`}>
            <Table head={['step', ...lines.map(({ label }) => label)]} rows={figureRows(lines, format)} />
          </Scroll>
        ) : null}
      </details>
    </figure>
  );
}

/** The lines by their names, with their values at the place that the caption names; each can be hidden. */
function ChartLegend(props: {
  lines: readonly ChartLine[];
  letters: readonly (string | null)[];
  /** Labels of lines that are not drawn. */
  hidden: Signal<ReadonlySet<string>>;
  /** The step of the values; null for the last of each. */
  at: number | null;
  format: (value: number) => string;
}) {
  const { lines, letters, hidden, at, format } = props;
  const toggle = (label: string): void => {
    const next = new Set(hidden.value);
    if (!next.delete(label)) next.add(label);
    hidden.value = next;
  };
  return (
    <ul class="legend">
      {lines.map((line, place) => (
        <li key={line.label}>
          <button
            type="button"
            aria-pressed={!hidden.value.has(line.label)}
            onClick={() => toggle(line.label)}
            class={line.faint === true ? 'faint' : ''}
          >
            <svg class="swatch" viewBox="0 0 30 6" aria-hidden="true">
              <path
                d="M0 3H30"
                stroke-dasharray={dashOf(line).join(' ')}
                style={{ '--line': `var(${line.colour})` }}
              />
            </svg>
            {letters[place] === null ? null : (
              <span class="letter" aria-hidden="true">
                {letters[place]}
              </span>
            )}
            {line.label}
            <b>{wordsOf(valueAt(line, at), format) || '–'}</b>
          </button>
        </li>
      ))}
    </ul>
  );
}

const tableRows = 24;

/** The values as a table: every step of a short run, some of a long one. */
function figureRows(lines: readonly ChartLine[], format: (value: number) => string): string[][] {
  const steps = stepsOf(lines);
  const every = Math.max(1, Math.ceil(steps.length / tableRows));
  const shown = steps.filter((_, index) => index % every === 0 || index === steps.length - 1);
  const valueOf = ({ steps: own, values }: ChartLine, step: number) => values[own.indexOf(step)] ?? null;
  return shown.map((step) => [String(step), ...lines.map((line) => wordsOf(valueOf(line, step), format))]);
}

const wordsOf = (value: number | null, format: (value: number) => string): string =>
  value === null ? '' : format(value);
