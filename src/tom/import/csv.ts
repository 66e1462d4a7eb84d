/** Separated values (RFC 4180, with `,`, `;` or a tab), and bAbI's numbered lines. */
import { badRow, checkRowCount, checkRowLength } from './limits';

export interface CsvRecord {
  /** Line of the file where it begins, from 1. */
  row: number;
  fields: string[];
}

/** The separator that the first line holds most of. */
export function separatorOf(text: string): string {
  const [line] = text.split('\n', 1);
  const counts = [',', ';', '\t'].map((separator) => ({ separator, count: line.split(separator).length }));
  return counts.reduce((best, next) => (next.count > best.count ? next : best)).separator;
}

/**
 * Records of a file in separated values; quoted fields may hold separators, line breaks and doubled quotes.
 *
 * @throws `tom/bad-row` for a quote that never ends, `tom/row-too-big`, `tom/too-many-rows`
 */
export function readCsv(text: string, separator: string): CsvRecord[] {
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
      if (text[at] !== separator) break;
      at++;
    }
    checkRowLength(record.row, at - start);
    if (text[at] === '\r') at++;
    if (text[at] === '\n') at++;
    line++;
    if (record.fields.length > 1 || record.fields[0] !== '') records.push(record);
    checkRowCount(records.length);
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

/** One row for each question of a bAbI file: `n question<tab>answer<tab>…`, after the story's lines from 1 on. */
export function readBabi(
  text: string,
): { row: number; value: { story: string; question: string; answer: string } }[] {
  const rows: { row: number; value: { story: string; question: string; answer: string } }[] = [];
  let story: string[] = [];
  text.split('\n').forEach((line, index) => {
    const row = index + 1;
    if (line.trim() === '') return;
    checkRowLength(row, line.length);
    const numbered = /^(\d+) (.*?)\r?$/.exec(line);
    if (numbered === null)
      throw badRow(row, `a bAbI line begins with a number, this one with "${line.slice(0, 20)}"`);
    if (numbered[1] === '1') story = [];
    const [question, answer] = numbered[2].split('\t');
    if (answer === undefined) {
      story.push(question);
      checkRowLength(row, story.length * 8);
    } else {
      rows.push({ row, value: { story: story.join('\n'), question: question.trim(), answer } });
      checkRowCount(rows.length);
    }
  });
  return rows;
}
