/** One chart: its values at the cursor, in words and in a table. A large one has a legend. */
import { useSignal } from '@preact/signals';
import { useId } from 'preact/hooks';
import { later } from '../ui/later';
import { plainNumber } from '../ui/numbers';
import { Scroll, Table } from '../ui/table';
import { crosshair } from './chart-view';
import { dashOf, lastStepOf, tableOf, toldAt, valueAt } from './lines/chart-line';
import type { Drawing } from './plot';

const PlotArea = later(() => import('./plot').then((part) => part.PlotArea));

export interface ChartProps extends Omit<Drawing, 'label' | 'format' | 'isSmall'> {
  title: string;
  /** Unit and source of its figures: `mean of a step, in practice`. */
  of: string;
  /** Explanation, folded with the table. Without it the chart is small, and its lines have names and values at their ends. */
  about?: string;
  format?: (value: number) => string;
}

export function Chart(props: ChartProps) {
  const { title, of, about, format = plainNumber, ...axes } = props;
  const { lines } = axes;
  const isSmall = about === undefined;
  const captionId = useId();
  const isTableOpen = useSignal(isSmall);
  /** Step under the cursor, else the page's step. Null selects the last step. */
  const chosen = crosshair.value ?? axes.lookedAt?.value ?? null;
  const table = isTableOpen.value ? (
    <Table
      caption={title}
      head={['step', ...lines.map(({ label }) => label)]}
      rows={tableOf(lines, format)}
    />
  ) : null;
  const Heading = isSmall ? 'h2' : 'h3';
  return (
    <figure class={isSmall ? 'plot-figure' : 'chart stack'} aria-labelledby={captionId}>
      <figcaption class="chart-head row">
        <Heading id={captionId}>{title}</Heading> <small class="quiet">{of}</small>
        {/* Not every step has a value, so this is the step of the values rather than that of the cursor. */}
        <span class="at small quiet">
          {isSmall && chosen === null ? '' : `step ${lastStepOf(lines, chosen)}`}
        </span>
      </figcaption>
      <div class="plot-area">
        <PlotArea
          {...{ ...axes, isSmall, format }}
          label={`${title} over ${axes.steps} steps${axes.border ? `, rewards begin after step ${axes.border}` : ''}, by arrow keys, zoom by + and −: ${toldAt(lines, chosen, format) || 'nothing yet'}`}
        />
      </div>
      {isSmall ? (
        <div class="visually-hidden">{table}</div>
      ) : (
        <>
          <ul class="legend row small">
            {lines.map((line) => {
              const value = valueAt(line, chosen);
              return (
                <li key={line.label}>
                  <svg class="swatch" viewBox="0 0 30 6" aria-hidden="true">
                    <path
                      d="M0 3H30"
                      stroke-dasharray={dashOf(line.dash).join(' ')}
                      style={{ stroke: `var(${line.colour})`, opacity: line.faint ? 0.4 : 1 }}
                    />
                  </svg>
                  {line.label} <b>{value === null ? '–' : format(value)}</b>
                </li>
              );
            })}
          </ul>
          <details class="figures small" onToggle={(event) => (isTableOpen.value = event.currentTarget.open)}>
            <summary class="quiet">
              More, table<span class="visually-hidden"> of {title}</span>
            </summary>
            <p>{about}</p>
            <Scroll label={`Figures of ${title}`}>{table}</Scroll>
          </details>
        </>
      )}
    </figure>
  );
}
