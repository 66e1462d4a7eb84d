/** The parsers of data sets, each with a small file of its format to damage. */
import { importDataset } from '../../src/tom/import/import-dataset';
import { quickFile } from '../fixtures/quick-file';
import type { Parser } from '../model/parsers';
import { listPage, parquetFile, textPage } from './hostile-parquet';

const row = { story: 'Ann entered the hall.', question: 'Where is Ann?', answer: 'hall' };
const set = {
  set_id: '1',
  short_context: 'c',
  factQA: { question: 'q', correct_answer: 'a' },
  answerabilityQA_list: { question: 'q', correct_answer: ['A'], wrong_answer: [] },
};

const texts: Record<string, string> = {
  'rows.json': JSON.stringify([row, { ...row, choices: ['a', 'b'] }]),
  'rows.jsonl': `${JSON.stringify(row)}\n${JSON.stringify(row)}`,
  'rows.csv': 'story;question;answer\n"a";b;"c""d"\ne;f;g\n',
  'babi.txt': '1 Ann entered the hall.\n2 Where is Ann?\thall\t1\n',
  'fantom.json': JSON.stringify([set]),
};

export async function datasetParsers(): Promise<Parser[]> {
  const page = (text: string) => ({ pages: [textPage([text])] });
  const choices = { isList: true, pages: [listPage(['hall', 'attic'])] };
  const { story, question, answer } = row;
  const columns = { story: page(story), question: page(question), answer: page(answer), choices };
  const parquet = new Uint8Array(await parquetFile(1, columns).arrayBuffer());
  const files = Object.entries(texts).map(([name, text]) => [name, new TextEncoder().encode(text)] as const);
  return [...files, ['rows.parquet', parquet] as const].map(([name, good]) => ({
    name,
    good,
    read: (bytes) => importDataset(quickFile(bytes)),
  }));
}
