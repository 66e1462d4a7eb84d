/** One chart with a legend of values, a table, and export as a picture. */
import { useSignal } from '@preact/signals';
import { useId, useMemo, useRef } from 'preact/hooks';
import { plainNumber } from '../ui/numbers';
import { Scroll, Table } from '../ui/table';
import { crosshair, highlighted } from './chart-view';
import { dashOf, lastStepOf, lettersOf, tableOf, valueAt, type ChartLine } from './lines/curve';
import { PlotArea } from './plot';
import type { ChartMark, Drawing } from './canvas';

type Axes = Pick<Drawing, 'lines' | 'steps' | 'range' | 'isFromZero' | 'isWhole' | 'lookedAt'>;

export interface ChartProps extends Axes {
  title: string;
  unit: string;
  /** Where its figures are from: `in practice`, `on test questions`. Omitted if its lines say so. */
  of?: string;
  about: string;
  /** Further explanation, folded together with the table and the picture. */
  more?: string;
  marks?: readonly ChartMark[];
  format?: (value: number) => string;
}

export function Chart(props: ChartProps) {
  const { title, unit, of, about, more, marks = [], format = plainNumber, ...axes } = props;
  const { lines, lookedAt } = axes;
  const figure = useRef<HTMLElement>(null);
  const hidden = useSignal<ReadonlySet<string>>(new Set());
  const captionId = useId();
  const figuresOpen = useSignal(false);
  const isOf = (line: ChartLine, run: string): boolean =>
    line.label === run || line.label.startsWith(`${run}: `);
  const run = highlighted.value;
  const pointedAt = run !== null && lines.some((line) => isOf(line, run)) ? run : null;
  const letters = lettersOf(lines);
  const drawn = useMemo(
    () =>
      lines.flatMap((line, place) => {
        const isDimmed = pointedAt !== null && !isOf(line, pointedAt);
        return hidden.value.has(line.label) ? [] : { ...line, end: letters[place] ?? undefined, isDimmed };
      }),
    [lines, hidden.value, pointedAt],
  );
  const toggle = (label: string): void => {
    const next = new Set(hidden.value);
    if (!next.delete(label)) next.add(label);
    hidden.value = next;
  };
  /** Step under the cursor, else the page's step. Null selects the last step. */
  const chosen = crosshair.value ?? lookedAt?.value ?? null;
  const last = Math.max(0, ...lines.map((line) => lastStepOf(line, chosen) ?? 0));
  return (
    <figure class="chart" aria-labelledby={captionId} ref={figure}>
      <figcaption>
        <div class="chart-head">
          <h3 id={captionId}>{title}</h3>
          <span class="visually-hidden">{of}</span>
          <span class="at small quiet">
            {lines.some(({ steps: own }) => own.length > 0) ? `step ${last}` : ''}
          </span>
        </div>
        <p>{about}</p>
      </figcaption>
      <div class="plot-area">
        <PlotArea
          {...{ ...axes, marks, format }}
          unit={of === undefined ? unit : `${unit}, ${of}`}
          label={`${title} by step; the arrow keys move the cursor`}
          lines={drawn}
        />
      </div>
      <ul class="legend row">
        {lines.map((line, place) => {
          const value = valueAt(line, chosen);
          return (
            <li key={line.label}>
              <button
                class="plain small"
                aria-pressed={!hidden.value.has(line.label)}
                onClick={() => toggle(line.label)}
              >
                <svg class="swatch" viewBox="0 0 30 6" aria-hidden="true">
                  <path
                    d="M0 3H30"
                    class={line.faint === true ? 'faint' : ''}
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
                <b>{value === null ? '–' : format(value)}</b>
              </button>
            </li>
          );
        })}
      </ul>
      <details class="figures small" onToggle={(event) => (figuresOpen.value = event.currentTarget.open)}>
        <summary class="quiet">
          {more === undefined ? 'Table and picture' : 'More, table and picture'}
          <span class="visually-hidden"> of {title}</span>
        </summary>
        {more === undefined ? null : <p>{more}</p>}
        <button
          onClick={() =>
            void import('./chart-image').then((part) => part.saveChartImage(figure.current!, title))
          }
        >
          Save as PNG
        </button>
        {figuresOpen.value ? (
          <Scroll label={`Figures of ${title}`}>
            <Table head={['step', ...lines.map(({ label }) => label)]} rows={tableOf(lines, format)} />
          </Scroll>
        ) : null}
      </details>
    </figure>
  );
}
