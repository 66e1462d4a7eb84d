/** From bytes to rows: JSON, JSON lines, separated values, bAbI and parquet, told apart by their content. */
import { readBabi, readCsv, separatorOf } from './csv';
import { badRow, checkRowCount, checkRowLength, MOST_BYTES, refuse } from './limits';

export type Format = 'json' | 'jsonl' | 'csv' | 'babi' | 'parquet';

export interface SourceRow {
  /** Counts from 1: the line of a text file, the element of a JSON array, the row of a parquet file. */
  row: number;
  /** An object by column, or the fields of a record without a header. */
  value: unknown;
  /** The key, where the rows are the values of one JSON object. */
  key?: string;
}

export interface RowSet {
  format: Format;
  rows: SourceRow[];
}

/** Columns in which no data set has its text: chat-templated prompts, and the answer once more. */
const UNREAD_COLUMNS = new Set(['prompt', 'reward_model']);
const MOST_UNPACKED_BYTES = 256 * 1024 * 1024;

/** @throws `tom/file-too-big`, `tom/bad-file`, `tom/unknown-format`, `tom/too-many-rows`, `tom/row-too-big`, `tom/bad-row` */
export async function readRows(file: Blob): Promise<RowSet> {
  if (file.size > MOST_BYTES) {
    throw refuse(
      'file-too-big',
      `The file has ${file.size} bytes.`,
      `Split it: at most ${MOST_BYTES} bytes are imported at once.`,
    );
  }
  const bytes = await file.arrayBuffer();
  if (isParquet(bytes)) return { format: 'parquet', rows: await readParquet(bytes) };
  const text = decode(bytes);
  const format = formatOf(text);
  switch (format) {
    case 'json':
      return { format, rows: readJson(text) };
    case 'jsonl':
      return { format, rows: readJsonLines(text) };
    case 'babi':
      return { format, rows: readBabi(text) };
    case 'csv':
      return { format, rows: readTable(text) };
  }
}

function isParquet(bytes: ArrayBuffer): boolean {
  return bytes.byteLength >= 4 && new TextDecoder('latin1').decode(bytes.slice(0, 4)) === 'PAR1';
}

function decode(bytes: ArrayBuffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (cause) {
    throw refuse(
      'bad-file',
      `The file is neither parquet nor UTF-8 text (${String(cause)}).`,
      'Save it as UTF-8 text and import it again.',
    );
  }
}

function formatOf(text: string): Exclude<Format, 'parquet'> {
  const start = text.trimStart();
  if (start === '')
    throw refuse('unknown-format', 'The file is empty.', 'Choose a file with at least one row.');
  if (start.startsWith('{')) {
    const lines = start.split('\n', 2);
    return lines.length === 2 && isJson(lines[0]) && lines[1].trim().startsWith('{')
      ? 'jsonl'
      : isJson(start) || !isJson(lines[0])
        ? 'json'
        : 'jsonl';
  }
  if (start.startsWith('[')) return 'json';
  if (/^1 \S/.test(start)) return 'babi';
  if (/[,;\t]/.test(start.split('\n', 1)[0])) return 'csv';
  throw refuse(
    'unknown-format',
    `The file begins with "${start.slice(0, 40)}", which no known format does.`,
    'Use JSON, JSON lines, CSV with a header, bAbI text or parquet.',
  );
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** An array, an array under `data`, or one object whose values are the rows. */
function readJson(text: string): SourceRow[] {
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch (cause) {
    throw refuse(
      'bad-file',
      `The file is not valid JSON (${String(cause).slice(0, 120)}).`,
      'Correct the file and import it again.',
    );
  }
  const within = isObject(parsed) && Array.isArray(parsed.data) ? parsed.data : parsed;
  if (Array.isArray(within)) {
    checkRowCount(within.length);
    return within.map((value: unknown, index) => ({ row: index + 1, value }));
  }
  if (!isObject(within))
    throw refuse('unknown-format', 'The JSON file holds no rows.', 'Use an array of objects.');
  const entries = Object.entries(within);
  checkRowCount(entries.length);
  return entries.map(([key, value], index) => ({ row: index + 1, value, key }));
}

function readJsonLines(text: string): SourceRow[] {
  const rows: SourceRow[] = [];
  text.split('\n').forEach((line, index) => {
    if (line.trim() === '') return;
    const row = index + 1;
    checkRowLength(row, line.length);
    try {
      rows.push({ row, value: JSON.parse(line) as unknown });
    } catch (cause) {
      throw badRow(row, `is not valid JSON (${String(cause).slice(0, 100)})`);
    }
    checkRowCount(rows.length);
  });
  return rows;
}

/** With a header, unless it is BigToM's, which has none. */
function readTable(text: string): SourceRow[] {
  const records = readCsv(text, separatorOf(text));
  const [header, ...others] = records;
  if (header.fields.some((field) => field.length > 60)) {
    return records.map(({ row, fields }) => ({ row, value: fields }));
  }
  return others.map(({ row, fields }) => {
    if (fields.length !== header.fields.length) {
      throw badRow(row, `has ${fields.length} fields where the header has ${header.fields.length}`);
    }
    return {
      row,
      value: Object.fromEntries(fields.map((field, index) => [header.fields[index].trim(), field])),
    };
  });
}

async function readParquet(file: ArrayBuffer): Promise<SourceRow[]> {
  const { parquetMetadata, parquetReadObjects } = await import('hyparquet');
  try {
    const metadata = parquetMetadata(file);
    checkRowCount(Number(metadata.num_rows));
    const unpacked = metadata.row_groups.reduce((sum, group) => sum + Number(group.total_byte_size), 0);
    if (unpacked > MOST_UNPACKED_BYTES) {
      throw refuse(
        'file-too-big',
        `The file unpacks to ${unpacked} bytes.`,
        `Split it: at most ${MOST_UNPACKED_BYTES} unpacked bytes are read.`,
      );
    }
    const roots = new Set(
      metadata.row_groups.flatMap((group) =>
        group.columns.map((column) => column.meta_data?.path_in_schema[0] ?? ''),
      ),
    );
    const columns = [...roots].filter((name) => name !== '' && !UNREAD_COLUMNS.has(name));
    const rows = await parquetReadObjects({ file, metadata, columns });
    return rows.map((value, index) => ({ row: index + 1, value }));
  } catch (cause) {
    if (cause instanceof Error && cause.name === 'MarbleError') throw cause;
    throw refuse(
      'bad-file',
      `The parquet file cannot be read (${String(cause).slice(0, 120)}).`,
      'Write it again with snappy or no compression.',
    );
  }
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
