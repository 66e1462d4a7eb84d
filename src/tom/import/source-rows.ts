/**
 * Turns bytes into rows: JSON, JSON Lines, separated values (RFC 4180, with `,`, `;` or a tab), bAbI and parquet, detected
 * from the content.
 */
import { MarbleError } from '../../base/error';
import { parsePythonJson } from '../../base/untrusted';
import {
  badRow,
  checkRowCount,
  checkRowLength,
  createBudget,
  MOST_BYTES,
  MOST_ROW_LENGTH,
  refuse,
  type Budget,
} from './limits';

export type Format = 'json' | 'jsonl' | 'csv' | 'babi' | 'parquet';

export interface SourceRow {
  /** Counts from 1: line of a text file, element of a JSON array, or row of a parquet file. */
  row: number;
  /** An object by column name. In JSON it can be anything. */
  value: unknown;
}

export interface RowSet {
  format: Format;
  rows: SourceRow[];
}

/** Columns that no reader uses: chat-templated prompts, and a second copy of the answer. */
const UNREAD_COLUMNS = new Set(['prompt', 'reward_model']);

/**
 * Reads a file into rows.
 *
 * @throws `tom/file-too-big`, `tom/bad-file`, `tom/unknown-format`, `tom/too-many-rows`, `tom/row-too-big`,
 * `tom/bad-row`
 */
export async function readRows(file: Blob): Promise<RowSet> {
  const budget = createBudget();
  if (file.size > MOST_BYTES) {
    throw refuse(
      'file-too-big',
      `The file has ${file.size} bytes.`,
      `Split it: at most ${MOST_BYTES} bytes are imported at once.`,
    );
  }
  const bytes = await file.arrayBuffer();
  if (isParquet(bytes)) {
    const name = file instanceof File ? file.name.slice(0, 100) : 'The file';
    return { format: 'parquet', rows: await readParquet(name, bytes, budget) };
  }
  const text = decode(bytes);
  const format = formatOf(text);
  switch (format) {
    case 'json':
      return readJson(text, budget);
    case 'jsonl':
      return { format, rows: readJsonLines(text, budget) };
    case 'babi':
      return { format, rows: readBabi(text, budget) };
    case 'csv':
      return { format, rows: readTable(text, budget) };
  }
}

const isMark = (bytes: ArrayBuffer): boolean => new TextDecoder('latin1').decode(bytes) === 'PAR1';
const isParquet = (bytes: ArrayBuffer): boolean => isMark(bytes.slice(0, 4));

const SAVE_AS_UTF8 =
  'Save it as UTF-8 (in Excel: Save as, “CSV UTF-8”; in an editor: Save as, encoding UTF-8) and import it again.';

function decode(bytes: ArrayBuffer): string {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    if (!/^(\0.|.\0)/.test(text)) return text; // UTF-16 without a mark at its start
  } catch {
    // The reason is below: that of the decoder names its own arguments.
  }
  throw refuse('bad-file', otherEncoding(new Uint8Array(bytes)), SAVE_AS_UTF8);
}

/** Describes bytes that are no UTF-8 text. */
function otherEncoding(bytes: Uint8Array): string {
  const start = String.fromCharCode(...bytes.subarray(0, 4));
  if (/^(\xff\xfe|\xfe\xff|\0.|.\0)/.test(start)) return 'The text of the file is in UTF-16, not in UTF-8.';
  if (start === 'PK\x03\x04') return 'The file is a zip archive, or a workbook such as .xlsx.';
  const isText = !bytes.some((byte) => byte < 0x20 && ![9, 10, 12, 13].includes(byte));
  return isText
    ? 'The text of the file is not in UTF-8: it may be in Latin-1 or Windows-1252.'
    : 'The file is neither parquet nor text.';
}

function formatOf(text: string): Exclude<Format, 'parquet'> {
  const start = text.trimStart();
  if (start === '')
    throw refuse('unknown-format', 'The file is empty.', 'Choose a file with at least one row.');
  if (start.startsWith('{')) return isLines(start) ? 'jsonl' : 'json';
  if (start.startsWith('[')) return 'json';
  if (/^1 \S/.test(start)) return 'babi';
  if (/[,;\t]/.test(start.split('\n', 1)[0]) || statesSeparator(start)) return 'csv';
  throw refuse(
    'unknown-format',
    `The file begins with "${start.slice(0, 40)}", which matches no known format.`,
    'Use JSON, JSON lines, CSV with a header, bAbI text or parquet.',
  );
}

/** True if the first line ends an object and the next line does not continue it. */
function isLines(text: string): boolean {
  const end = text.indexOf('\n');
  const next = text.slice(end).trimStart().charAt(0);
  return end !== -1 && text.slice(0, end).trimEnd().endsWith('}') && next !== '' && !',}]'.includes(next);
}

/**
 * Accepts an array, an array under `data`, an object whose values are the rows, or a single row (JSON Lines with one
 * line).
 */
function readJson(text: string, budget: Budget): RowSet {
  let parsed: Record<string, unknown> | unknown[]; // the text begins with { or [
  try {
    parsed = parsePythonJson(text) as typeof parsed;
  } catch (cause) {
    throw refuse(
      'bad-file',
      `The file is not valid JSON (${faultOf(cause)}).`,
      'Correct the file and import it again.',
    );
  }
  const within = !Array.isArray(parsed) && Array.isArray(parsed.data) ? (parsed.data as unknown[]) : parsed;
  const numbered = (value: unknown, index: number): SourceRow => ({ row: index + 1, value });
  const rows: unknown[] = Object.values(within);
  if (!Array.isArray(within) && rows.some((value) => typeof value !== 'object' || value === null))
    return { format: 'jsonl', rows: keptRows([numbered(within, 0)], budget) };
  return { format: 'json', rows: keptRows(rows.map(numbered), budget) };
}

const faultOf = (cause: unknown): string => (cause instanceof Error ? cause.message : String(cause));

function keptRows(rows: SourceRow[], budget: Budget): SourceRow[] {
  for (const { row, value } of rows) budget.keep(row, value);
  return rows;
}

/**
 * Yields the non-empty lines of a text with their numbers from 1. It is lazy because a file may consist of line breaks.
 */
function* linesOf(text: string): Generator<{ row: number; line: string }> {
  let row = 1;
  for (let start = 0; start < text.length; row++) {
    const lineBreak = text.indexOf('\n', start);
    const end = lineBreak === -1 ? text.length : lineBreak;
    const line = text.slice(start, end);
    if (line.trim() !== '') yield { row, line };
    start = end + 1;
  }
}

function readJsonLines(text: string, budget: Budget): SourceRow[] {
  const rows: SourceRow[] = [];
  for (const { row, line } of linesOf(text)) {
    checkRowLength(row, line.length);
    let value: unknown;
    try {
      value = parsePythonJson(line);
    } catch (cause) {
      throw badRow(row, `is not valid JSON (${faultOf(cause)})`);
    }
    budget.keep(row, value);
    rows.push({ row, value });
  }
  return rows;
}

/** Excel's first line, which names the separator (`sep=;`). */
const STATED = /^sep=(.)\r?\n/i;
const statesSeparator = (text: string): boolean => STATED.test(text);

/** Separator named by the first line, or the most frequent one in that line. */
function separatorOf(text: string): string {
  const stated = STATED.exec(text);
  if (stated !== null) return stated[1];
  const [line] = text.slice(0, MOST_ROW_LENGTH).split('\n', 1);
  const counts = [',', ';', '\t'].map((separator) => ({ separator, count: line.split(separator).length }));
  return counts.reduce((best, next) => (next.count > best.count ? next : best)).separator;
}

/** A record of separated values, and the line of the file where it begins, from 1. */
interface CsvRecord {
  row: number;
  fields: string[];
}

/**
 * Yields the non-empty records of separated values. Quoted fields may hold separators, line breaks and doubled quotes.
 *
 * @throws `tom/bad-row` for a quote that never ends, `tom/row-too-big`
 */
function* recordsOf(file: string): Generator<CsvRecord, undefined> {
  const separator = separatorOf(file);
  const text = file.replace(STATED, '\n');
  let at = 0;
  let line = 1;
  while (at < text.length) {
    const record: CsvRecord = { row: line, fields: [] };
    const start = at;
    for (;;) {
      const { value, end } = readField(text, at, separator, line);
      record.fields.push(value);
      line += value.split('\n').length - 1;
      at = end;
      checkRowLength(record.row, at - start);
      if (text[at] !== separator) break;
      at++;
    }
    if (text[at] === '\r') at++;
    if (text[at] === '\n') at++;
    line++;
    if (record.fields.length > 1 || record.fields[0] !== '') yield record;
  }
}

function readField(
  text: string,
  start: number,
  separator: string,
  line: number,
): { value: string; end: number } {
  const ends = [separator, '\n', '\r', undefined];
  let end = start;
  // A doubled quote ends one quoted part and begins the next.
  while (text[end] === '"') {
    const quote = text.indexOf('"', end + 1);
    if (quote === -1) throw badRow(line, 'a quoted field never ends');
    checkRowLength(line, quote - start);
    end = quote + 1;
  }
  if (end > start) {
    if (!ends.includes(text[end])) throw badRow(line, 'text follows a closing quote');
    return { value: text.slice(start + 1, end - 1).replaceAll('""', '"'), end };
  }
  while (!ends.includes(text[end])) end++;
  return { value: text.slice(start, end), end };
}

/** Expects a header row, which counts as no row. */
function readTable(text: string, budget: Budget): SourceRow[] {
  const records = recordsOf(text);
  const header = records.next().value;
  if (header === undefined) return [];
  const names = header.fields.map((name) => name.trim());
  budget.spend(1 + names.length, header.fields.join('').length);
  const twice = repeatedOf(names.filter((name) => name !== ''));
  if (twice !== undefined) throw badRow(header.row, `has the column "${twice.slice(0, 100)}" twice`);
  return Array.from(records, ({ row, fields }) => {
    budget.keep(row, fields);
    if (fields.length !== names.length) {
      throw badRow(row, `has ${fields.length} fields where the header has ${names.length}`);
    }
    return { row, value: Object.fromEntries(fields.map((field, index) => [names[index], field])) };
  });
}

/**
 * One row for each question of a bAbI file: `n question<tab>answer<tab>…`. Its story is the lines since line number 1.
 *
 * @throws `tom/bad-row`, `tom/row-too-big`, `tom/too-many-rows`, `tom/file-too-big`
 */
function readBabi(text: string, budget: Budget): SourceRow[] {
  const rows: SourceRow[] = [];
  let story = '';
  for (const { row, line } of linesOf(text)) {
    checkRowLength(row, line.length);
    const numbered = /^(\d+) (.*?)\r?$/.exec(line);
    if (numbered === null)
      throw badRow(row, `begins with "${line.slice(0, 20)}", but a bAbI line begins with a number`);
    if (numbered[1] === '1') story = '';
    const [question, answer] = numbered[2].split('\t');
    if (answer === undefined) {
      story += story === '' ? question : `\n${question}`;
      checkRowLength(row, story.length);
    } else {
      const value = { story, question: question.trim(), answer };
      budget.keep(row, value);
      rows.push({ row, value });
    }
  }
  return rows;
}

export const repeatedOf = (names: readonly string[]): string | undefined =>
  names.find((name, index) => names.indexOf(name) < index);

const asText = (bytes: Uint8Array | undefined): string | undefined =>
  bytes && new TextDecoder().decode(bytes);

/** Keeps bytes as text instead of the library's JSON and geometry objects, which no data set here uses. */
const plainParsers = { jsonFromBytes: asText, geometryFromBytes: asText, geographyFromBytes: asText };

async function readParquet(name: string, file: ArrayBuffer, budget: Budget): Promise<SourceRow[]> {
  const library = await import('hyparquet');
  try {
    if (file.byteLength < 12 || !isMark(file.slice(-4))) throw badParquet(name, 'it does not end in PAR1, so it is truncated'); // prettier-ignore
    const metadata = library.parquetMetadata(file, { geoparquet: false });
    const groups = metadata.row_groups;
    checkRowCount(groups.reduce((sum, { num_rows: count }) => sum + Number(count), 0));
    const stored = groups.flatMap(({ columns }) => columns.flatMap(({ meta_data: column }) => column ?? []));
    const read = stored.filter(({ path_in_schema: [name] }) => !UNREAD_COLUMNS.has(name));
    const expected = createBudget();
    for (const column of read)
      expected.spend(Number(column.num_values), Number(column.total_uncompressed_size));
    const columns = [...new Set(read.map(({ path_in_schema: [name] }) => name))];
    const names = library.parquetSchema(metadata).children.map(({ element }) => element.name);
    const twice = repeatedOf(names);
    if (twice !== undefined) throw badParquet(name, `it has the column "${twice.slice(0, 100)}" twice`);
    const isCompressed = read.some(({ codec }) => codec !== 'UNCOMPRESSED' && codec !== 'SNAPPY');
    const compressors = isCompressed ? (await import('hyparquet-compressors')).compressors : undefined;
    const rows = await library.parquetReadObjects({ file, metadata, columns, parsers: plainParsers, compressors }); // prettier-ignore
    return keptRows(
      rows.map((value, index) => ({ row: index + 1, value })),
      budget,
    );
  } catch (cause) {
    if (cause instanceof MarbleError) throw cause;
    const [, what, value] =
      /unsupported (compression codec|encoding|page type)\b:? (\w+)/.exec(String(cause)) ?? [];
    throw badParquet(
      name,
      what === undefined ? 'it is damaged' : `Marble does not read its ${what} ${value}`,
    );
  }
}

const badParquet = (name: string, reason: string): MarbleError =>
  refuse(
    'bad-file',
    `${name} cannot be read as parquet: ${reason}.`,
    'Download the complete file again, or export it again.',
  );
