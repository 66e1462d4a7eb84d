/**
 * Rows as CSV (RFC 4180) for spreadsheets and pandas.
 *
 * Spreadsheets execute a cell that begins like a formula, and names of metrics, runs and models may come from outside. Such
 * cells get a leading apostrophe, which marks them as text.
 */
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
