/** Caps on what comes from outside, checked before anything is parsed or kept. */
import { MarbleError } from '../../error';

export const MOST_BYTES = 32 * 1024 * 1024;
const MOST_ROWS = 50_000;
const MOST_ROW_LENGTH = 64 * 1024;

export function refuse(
  code:
    | 'bad-file'
    | 'file-too-big'
    | 'too-many-rows'
    | 'row-too-big'
    | 'bad-row'
    | 'unknown-format'
    | 'needs-companion',
  message: string,
  nextStep: string,
): MarbleError {
  return new MarbleError(`tom/${code}`, message, nextStep);
}

/** One bad row rejects the file. `row` counts from 1, the header of a CSV file being row 1. */
export function badRow(row: number, what: string): MarbleError {
  return refuse(
    'bad-row',
    `Row ${row}: ${what}.`,
    'Nothing was imported. Correct that row, or take it out, and import the file again.',
  );
}

export function checkRowCount(count: number): void {
  if (count > MOST_ROWS) {
    throw refuse(
      'too-many-rows',
      `The file has ${count} rows.`,
      `Split it: at most ${MOST_ROWS} rows are imported at once.`,
    );
  }
}

export function checkRowLength(row: number, length: number): void {
  if (length > MOST_ROW_LENGTH) {
    throw refuse(
      'row-too-big',
      `Row ${row} has ${length} characters.`,
      `A row may have ${MOST_ROW_LENGTH}; shorten it or take it out.`,
    );
  }
}
