/** Limits on imported files, checked before anything is parsed or stored. */
import { MarbleError } from '../../base/error';

export const MOST_BYTES = 32 * 1024 * 1024;
const MOST_ROWS = 50_000;
export const MOST_ROW_LENGTH = 64 * 1024;
/** Maximum bytes for the rows of one file, and for the items made from them: a little over 50,000 rows of 2 kB. */
const MOST_MEMORY = 128 * 1024 * 1024;
/** Bytes of overhead for one text, number or list. */
const VALUE_BYTES = 64;
/** Maximum nesting depth of lists and objects. */
const DEEPEST = 64;

export type Budget = ReturnType<typeof createBudget>;

/**
 * Remaining cost that one file may cause. Every parser spends from a budget before it stores a value, because a short
 * file can expand a lot: one story may belong to a thousand questions, and parquet can encode a billion equal values in
 * a few bytes.
 */
export function createBudget() {
  let rows = 0;
  let memory = 0;
  /** Counts values before they are created. @throws `tom/file-too-big` */
  const spend = (values: number, characters: number): void => {
    memory += VALUE_BYTES * values + characters;
    if (memory > MOST_MEMORY) {
      throw refuse(
        'file-too-big',
        `The unpacked file takes more than ${MOST_MEMORY} bytes.`,
        'Split the file. A story counts once for each of its questions.',
      );
    }
  };
  return {
    spend,
    /**
     * Counts one more row or item, including all its texts.
     *
     * @throws `tom/too-many-rows`, `tom/row-too-big`, `tom/file-too-big`
     */
    keep(row: number, value: unknown): void {
      rows += 1;
      checkRowCount(rows);
      const { values, characters } = contentOf(row, value);
      checkRowLength(row, characters);
      spend(values, characters);
    },
  };
}

/** Number of values in a row at any depth, and number of characters in its texts and column names. */
function contentOf(row: number, value: unknown): { values: number; characters: number } {
  let values = 0;
  let characters = 0;
  let level: unknown[] = [value];
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > DEEPEST) throw badRow(row, `is nested more than ${DEEPEST} deep`);
    const below: unknown[] = [];
    values += level.length;
    for (const each of level) {
      if (typeof each === 'string') characters += each.length;
      else if (ArrayBuffer.isView(each)) characters += each.byteLength;
      else if (Array.isArray(each)) for (const part of each as unknown[]) below.push(part);
      else if (typeof each === 'object' && each !== null) {
        for (const [name, part] of Object.entries(each)) {
          characters += name.length;
          below.push(part);
        }
      }
    }
    level = below;
  }
  return { values, characters };
}

export function refuse(code: string, message: string, nextStep: string): MarbleError {
  return new MarbleError(`tom/${code}`, message, nextStep);
}

/** Error for one bad row, which rejects the whole file. `row` counts from 1; the header of a CSV file is row 1. */
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
