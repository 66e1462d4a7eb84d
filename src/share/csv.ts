/**
 * Rows as CSV (RFC 4180) for spreadsheets and pandas.
 *
 * Spreadsheets execute a cell that begins like a formula, and names of metrics, runs and models may come from outside. Such
 * cells get a leading apostrophe, which marks them as text.
 */
import type { StepRecord } from '../run/record/events';

type Cell = string | number | boolean | null;
export type Row = Record<string, Cell>;

/** Start of a formula, also after white space and invisible characters, and in the full-width forms that some spreadsheets accept. */
const formulaStart = /^[\s\p{C}]*[=+\-@＝＋－＠]|^[\t\r\n]/u;

function cellText(cell: Cell | undefined): string {
  if (cell == null) return '';
  if (typeof cell !== 'string') return String(cell);
  const harmless = formulaStart.test(cell) ? `'${cell}` : cell;
  return /[",;\r\n\t]|^\s|\s$/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless;
}

function columnsOf(rows: readonly Row[]): string[] {
  return [...new Set(rows.flatMap((row) => Object.keys(row)))];
}

function headLine(columns: readonly string[]): string {
  return `${columns.map(cellText).join(',')}\r\n`;
}

function rowLines(rows: readonly Row[], columns: readonly string[]): string {
  const cells = (row: Row) =>
    columns.map((column) => cellText(Object.hasOwn(row, column) ? row[column] : null));
  return rows.map((row) => `${cells(row).join(',')}\r\n`).join('');
}

/** Writes a header and one line per row. Columns are in order of first occurrence. */
export function toCsv(rows: readonly Row[]): string {
  const columns = columnsOf(rows);
  return headLine(columns) + rowLines(rows, columns);
}

/** Steps of a long run that are read or written at once. */
const STEPS_AT_ONCE = 500;

/**
 * Writes one row per step.
 *
 * @yields the text in parts, some of them empty: the work between two parts does not depend on the length of the run
 */
export function* metricsCsvParts(steps: readonly StepRecord[]): Generator<string, void, void> {
  const columns = new Set<string>();
  for (let first = 0; first < steps.length; first += STEPS_AT_ONCE) {
    for (const record of steps.slice(first, first + STEPS_AT_ONCE)) {
      for (const column of Object.keys(record)) columns.add(column);
    }
    yield '';
  }
  yield headLine([...columns]);
  for (let first = 0; first < steps.length; first += STEPS_AT_ONCE) {
    yield rowLines(steps.slice(first, first + STEPS_AT_ONCE), [...columns]);
  }
}

export const metricsCsv = (steps: readonly StepRecord[]): string => [...metricsCsvParts(steps)].join('');
