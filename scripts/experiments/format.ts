/** Numbers, intervals and tables as the results page writes them. */
import type { Interval } from './bootstrap';

/** `.45`, `1.20`, `-.03`; a dash for what is not defined. */
export function decimal(value: number | null | undefined, digits = 2): string {
  if (value === null || value === undefined || Number.isNaN(value)) return '–';
  const text = value.toFixed(digits);
  const signless = Number(text) === 0 ? text.replace('-', '') : text;
  return signless.replace(/^(-?)0\./, '$1.').replace('-', '−');
}

/** A change of a fraction in points: `+12.3`. */
export function points(value: number): string {
  const text = (100 * value).toFixed(1);
  return Number(text) > 0 ? `+${text}` : text.replace('-', '−').replace('−0.0', '0.0');
}

export function withInterval(interval: Interval | null, format: (value: number) => string = decimal): string {
  if (interval === null || Number.isNaN(interval.value)) return '–';
  return `${format(interval.value)} [${format(interval.low)}, ${format(interval.high)}]`;
}

export function pValue(p: number, draws: number): string {
  return p === 0 ? `p < ${decimal(1 / draws, 4)}` : `p = ${decimal(p, 4)}`;
}

export function percent(value: number): string {
  return (100 * value).toFixed(1);
}

export function table(head: readonly string[], rows: readonly (readonly string[])[]): string[] {
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
  return [line(head), `|${'---|'.repeat(head.length)}`, ...rows.map(line)];
}
