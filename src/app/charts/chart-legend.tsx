/** The lines of a chart by their names, with their values at the place that the caption names; each can be hidden. */
import type { Signal } from '@preact/signals';
import { dashOf, lettersOf, type ChartLine } from './lines/chart-line';

export interface ChartLegendProps {
  lines: readonly ChartLine[];
  /** Labels of lines that are not drawn. */
  hidden: Signal<ReadonlySet<string>>;
  valueOf: (line: ChartLine) => number | null;
  format: (value: number) => string;
}

export function ChartLegend({ lines, hidden, valueOf, format }: ChartLegendProps) {
  const letters = lettersOf(lines);
  const toggle = (label: string): void => {
    const next = new Set(hidden.value);
    if (!next.delete(label)) next.add(label);
    hidden.value = next;
  };
  return (
    <ul class="legend">
      {lines.map((line, column) => {
        const value = valueOf(line);
        return (
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
              {letters[column] === null ? null : (
                <span class="letter" aria-hidden="true">
                  {letters[column]}
                </span>
              )}
              {line.label}
              <b>{value === null ? '–' : format(value)}</b>
            </button>
          </li>
        );
      })}
    </ul>
  );
}
