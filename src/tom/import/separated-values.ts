/** Parsers for separated values (RFC 4180, with `,`, `;` or a tab) and for bAbI's numbered lines. */
import { badRow, checkRowLength, MOST_ROW_LENGTH, type Budget } from './limits';

export interface CsvRecord {
  /** Line of the file where the record begins, from 1. */
  row: number;
  fields: string[];
}

/**
 * Yields the non-empty lines of a text with their numbers from 1. It is lazy because a file may consist of line breaks.
 */
export function* linesOf(text: string): Generator<{ row: number; line: string }> {
  let row = 1;
  for (let start = 0; start < text.length; row++) {
    const lineBreak = text.indexOf('\n', start);
    const end = lineBreak === -1 ? text.length : lineBreak;
    const line = text.slice(start, end);
    if (line.trim() !== '') yield { row, line };
    start = end + 1;
  }
}

/** Excel's first line, which names the separator (`sep=;`). */
const STATED = /^sep=(.)\r?\n/i;
export const statesSeparator = (text: string): boolean => STATED.test(text);

/** Separator named by the first line, or the most frequent one in that line. */
function separatorOf(text: string): string {
  const stated = STATED.exec(text);
  if (stated !== null) return stated[1];
  const [line] = text.slice(0, MOST_ROW_LENGTH).split('\n', 1);
  const counts = [',', ';', '\t'].map((separator) => ({ separator, count: line.split(separator).length }));
  return counts.reduce((best, next) => (next.count > best.count ? next : best)).separator;
}

/**
 * Parses a file of separated values; quoted fields may hold separators, line breaks and doubled quotes. The first record is
 * the header, which counts as no row.
 *
 * @throws `tom/bad-row` for a quote that never ends, `tom/row-too-big`, `tom/too-many-rows`, `tom/file-too-big`
 */
export function readCsv(file: string, budget: Budget): CsvRecord[] {
  const separator = separatorOf(file);
  const text = file.replace(STATED, '\n');
  const records: CsvRecord[] = [];
  let at = 0;
  let line = 1;
  while (at < text.length) {
    const record: CsvRecord = { row: line, fields: [] };
    const start = at;
    for (;;) {
      const field = readField(text, at, separator, line);
      record.fields.push(field.value);
      line += field.breaks;
      at = field.end;
      checkRowLength(record.row, at - start);
      if (text[at] !== separator) break;
      at++;
    }
    if (text[at] === '\r') at++;
    if (text[at] === '\n') at++;
    line++;
    if (record.fields.length === 1 && record.fields[0] === '') continue;
    if (records.length > 0) budget.keep(record.row, record.fields);
    else budget.spend(1 + record.fields.length, at - start);
    records.push(record);
  }
  return records;
}

function readField(
  text: string,
  start: number,
  separator: string,
  line: number,
): { value: string; end: number; breaks: number } {
  if (text[start] !== '"') {
    let end = start;
    while (end < text.length && text[end] !== separator && text[end] !== '\n' && text[end] !== '\r') end++;
    return { value: text.slice(start, end), end, breaks: 0 };
  }
  let from = start + 1;
  let value = '';
  for (;;) {
    const quote = text.indexOf('"', from);
    if (quote === -1) throw badRow(line, 'a quoted field never ends');
    checkRowLength(line, quote - start);
    value += text.slice(from, quote);
    if (text[quote + 1] !== '"') {
      const breaks = value.split('\n').length - 1;
      const end = quote + 1;
      if (end < text.length && ![separator, '\n', '\r'].includes(text[end])) {
        throw badRow(line, 'text follows a closing quote');
      }
      return { value, end, breaks };
    }
    value += '"';
    from = quote + 2;
  }
}

interface BabiRow {
  row: number;
  value: { story: string; question: string; answer: string };
}

/**
 * One row for each question of a bAbI file: `n question<tab>answer<tab>…`. Its story is the lines since line number 1.
 *
 * @throws `tom/bad-row`, `tom/row-too-big`, `tom/too-many-rows`, `tom/file-too-big`
 */
export function readBabi(text: string, budget: Budget): BabiRow[] {
  const rows: BabiRow[] = [];
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
