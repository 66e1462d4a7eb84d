/** One chart: its values at the cursor, in words and in a table. A large one has a legend. */
import { useSignal } from '@preact/signals';
import { useId, useMemo } from 'preact/hooks';
import { later } from '../ui/later';
import { plainNumber } from '../ui/numbers';
import { Scroll, Table } from '../ui/table';
import { crosshair, sightWords } from './chart-view';
import { aligned, dashOf, lastStepOf, lettered, tableOf, toldAt, valueAt } from './lines/aligned';
import type { Drawing } from './canvas';

const PlotArea = later(() => import('./plot-area').then((part) => part.PlotArea));

export interface ChartProps extends Omit<Drawing, 'label' | 'format' | 'isSmall'> {
  title: string;
  /** Source of its figures: `in practice`, `on test questions`. Omitted if the labels of its lines name it. */
  of?: string;
  /** Explanation above the plot. Without it the chart is small, and its lines have names and values at their ends. */
  about?: string;
  /** Further explanation, folded together with the table. */
  more?: string;
  format?: (value: number) => string;
}

export function Chart(props: ChartProps) {
  const { title, of, about, more, format = plainNumber, ...axes } = props;
  const { unit, lookedAt } = axes;
  const isSmall = about === undefined;
  const captionId = useId();
  const hidden = useSignal<ReadonlySet<string>>(new Set());
  const lines = useMemo(() => {
    const all = aligned(props.lines);
    return isSmall ? all : lettered(all);
  }, [props.lines]);
  const areFiguresOpen = useSignal(false);
  const drawn = useMemo(() => lines.filter(({ label }) => !hidden.value.has(label)), [lines, hidden.value]);
  const toggle = (label: string): void => {
    const next = new Set(hidden.value);
    if (!next.delete(label)) next.add(label);
    hidden.value = next;
  };
  /** Step under the cursor, else the page's step. Null selects the last step. */
  const chosen = crosshair.value ?? lookedAt?.value ?? null;
  // Not every step has a value, so the caption names the step of the values rather than that of the cursor.
  const place = sightWords(isSmall && chosen === null ? null : lastStepOf(lines, chosen));
  const hasGhost = isSmall && lines.some((line) => line.faint && valueAt(line, null) !== null);
  const Heading = isSmall ? 'h2' : 'h3';
  const table = () => (
    <Table
      caption={isSmall ? title : undefined}
      head={['step', ...lines.map(({ label }) => label)]}
      rows={tableOf(lines, format)}
    />
  );
  return (
    <figure class={isSmall ? 'plot-figure' : 'chart'} aria-labelledby={captionId}>
      <figcaption>
        <div class="chart-head">
          <Heading>
            <span id={captionId}>{title}</span> <small class={isSmall ? '' : 'visually-hidden'}>{of}</small>
          </Heading>
          <span class="at small quiet">
            {place === '' && hasGhost ? <span class="ghost-word">thin line: our recorded run</span> : place}
          </span>
        </div>
        {isSmall ? null : <p>{about}</p>}
      </figcaption>
      <div class="plot-area">
        <PlotArea
          {...{ ...axes, isSmall, format }}
          unit={unit !== undefined && of !== undefined ? `${unit}, ${of}` : unit}
          label={`${title} over ${axes.steps} steps, by arrow keys, zoom by + and −: ${toldAt(lines, chosen, format) || 'nothing yet'}`}
          lines={drawn}
        />
      </div>
      {isSmall ? (
        <div class="visually-hidden">{table()}</div>
      ) : (
        <>
          <ul class="legend row">
            {lines.map((line) => {
              const { label, end, colour, dash, faint } = line;
              const value = valueAt(line, chosen);
              return (
                <li key={label}>
                  <button
                    class="plain small"
                    aria-pressed={!hidden.value.has(label)}
                    onClick={() => toggle(label)}
                  >
                    <svg class="swatch" viewBox="0 0 30 6" aria-hidden="true">
                      <path
                        d="M0 3H30"
                        class={faint === true ? 'faint' : ''}
                        stroke-dasharray={dashOf(dash).join(' ')}
                        style={{ '--line': `var(${colour})` }}
                      />
                    </svg>
                    {end === undefined ? null : (
                      <span class="letter" aria-hidden="true">
                        {end}
                      </span>
                    )}
                    {label}
                    <b>{value === null ? '–' : format(value)}</b>
                  </button>
                </li>
              );
            })}
          </ul>
          <details
            class="figures small"
            onToggle={(event) => (areFiguresOpen.value = event.currentTarget.open)}
          >
            <summary class="quiet">
              {more === undefined ? 'Table' : 'More, table'}
              <span class="visually-hidden"> of {title}</span>
            </summary>
            {more === undefined ? null : <p>{more}</p>}
            {areFiguresOpen.value ? <Scroll label={`Figures of ${title}`}>{table()}</Scroll> : null}
          </details>
        </>
      )}
    </figure>
  );
}
