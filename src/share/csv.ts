/**
 * Rows as CSV (RFC 4180) for spreadsheets and pandas.
 *
 * Spreadsheets execute a cell that begins like a formula, and names of metrics, runs and models may come from outside. Such
 * cells get a leading apostrophe, which marks them as text.
 */
import type { RunConfig } from '../run/config/config';
import type { RunSummary } from '../run/record/summary';

type Cell = string | number | boolean | null;
type Row = Record<string, Cell>;

/** Start of a formula, also after white space and invisible characters, and in the full-width forms that some spreadsheets accept. */
const formulaStart = /^[\s\p{C}]*[=+\-@＝＋－＠]|^[\t\r\n]/u;

function cellText(cell: Cell | undefined): string {
  if (cell == null) return '';
  if (typeof cell !== 'string') return String(cell);
  const harmless = formulaStart.test(cell) ? `'${cell}` : cell;
  return /[",;\r\n\t]|^\s|\s$/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless;
}

/** Rows of a long run that are read or written at once. */
const ROWS_AT_ONCE = 500;

/**
 * Writes a header and one line per row. Columns are in order of first occurrence.
 *
 * @yields the text in parts, some of them empty: the work between two parts does not depend on the number of rows
 */
export function* csvParts(rows: readonly Row[]): Generator<string, void, void> {
  const columns = new Set<string>();
  for (let first = 0; first < rows.length; first += ROWS_AT_ONCE) {
    for (const row of rows.slice(first, first + ROWS_AT_ONCE)) {
      for (const column of Object.keys(row)) columns.add(column);
    }
    yield '';
  }
  const line = (cells: (Cell | undefined)[]): string => `${cells.map(cellText).join(',')}\r\n`;
  yield line([...columns]);
  const cellsOf = (row: Row) =>
    Array.from(columns, (column) => (Object.hasOwn(row, column) ? row[column] : null));
  for (let first = 0; first < rows.length; first += ROWS_AT_ONCE) {
    const part = rows.slice(first, first + ROWS_AT_ONCE);
    yield part.map((row) => line(cellsOf(row))).join('');
  }
}

export const toCsv = (rows: readonly Row[]): string => [...csvParts(rows)].join('');

export interface SweepRow {
  /** Student of a class to whom the run belongs. */
  student?: string;
  arm: string;
  config: RunConfig;
  /** Id of the stored run; null if it has not started. */
  id: string | null;
  status: string | null;
  /** Null before the first evaluation. */
  summary: RunSummary | null;
}

/** A sweep with one row per run. Columns after the status are the fields of its summary: `accuracy/from`, `verdict/ending`. */
export function sweepCsv(rows: readonly SweepRow[]): string {
  return toCsv(
    rows.map(({ config, id, status, summary, ...named }) => ({
      ...named,
      ...{ seed: config.seed, run: id, status },
      // A result code has no duration.
      ...cellsOf(summary && { ...summary, seconds: summary.seconds || null }),
    })),
  );
}

/** Cells of a value by path. Null has none, so that a figure that no run has is no column. */
function cellsOf(value: unknown, ...path: string[]): Row {
  if (value === null) return {};
  if (Array.isArray(value)) return { [path.join('/')]: value.join(' ') };
  if (typeof value !== 'object') return { [path.join('/')]: value as Cell };
  const cells = Object.entries(value).map(([name, part]) => cellsOf(part, ...path, name));
  return Object.assign({}, ...cells) as Row;
}
