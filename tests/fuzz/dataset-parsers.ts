/**
 * The parsers of data sets, each with a small file of its format for the fuzz tests to damage. A library parses
 * parquet; a watchdog stops it if it hangs.
 */
import { importDataset } from '../../src/tom/import/import-dataset';
import { quickFile } from '../fixtures/quick-file';
import type { Parser } from './parsers';

const row = { story: 'Ann entered the hall.', question: 'Where is Ann?', answer: 'hall' };

const texts: Record<string, string> = {
  'rows.json': JSON.stringify([row, { ...row, choices: ['hall', 'b'] }]),
  'rows.jsonl': `${JSON.stringify(row)}\n${JSON.stringify(row)}`,
  'rows.csv': 'story;question;answer\n"a";b;"c""d"\ne;f;g\n',
  'babi.txt': '1 Ann entered the hall.\n2 Where is Ann?\thall\t1\n',
};

export const datasetParsers: readonly Parser[] = Object.entries(texts).map(([name, text]) => ({
  name,
  good: new TextEncoder().encode(text),
  read: (bytes) => importDataset(quickFile(bytes)),
}));
