import { describe, expect, it } from 'vitest';
import { MarbleError } from '../../src/base/error';
import { importDataset, previewDataset } from '../../src/tom/import/import-dataset';
import { Columns } from '../../src/tom/import/reader';
import { levels, listPage, parquetFile, plainTexts, run, textPage, type Page } from './hostile-parquet';

const blob = (text: string): Blob => new Blob([text]);
const code = (name: string): unknown => expect.objectContaining({ code: name });
const row = { story: 'Ann entered the hall.', question: 'Where is Ann?', answer: 'hall' };

const one = (value: string): { pages: Page[] } => ({ pages: [textPage([value])] });
const columns = { story: one(row.story), question: one(row.question), answer: one(row.answer) };

/** Its values are read: a header that says anything else is a lie. */
const answerPage = (page: Partial<Page>): { pages: Page[] } => ({
  pages: [{ ...textPage([row.answer]), ...page }],
});

describe('a parquet file', () => {
  it('is read with its texts, its lists and its dictionaries', async () => {
    const choices = { isList: true, pages: [listPage(['hall', 'attic']), listPage(['attic', 'hall'])] };
    const dictionary = { count: 1, bytes: plainTexts(['hall']), isDictionary: true };
    const indices = { count: 2, bytes: [...levels(...run(2, 1)), 1, ...run(2, 0)], encoding: 8 };
    const file = parquetFile(2, {
      story: { pages: [textPage([row.story, row.story])] },
      question: { pages: [textPage([row.question]), textPage([row.question])] },
      answer: { pages: [dictionary, indices] },
      choices,
    });
    const { items } = await importDataset(file);
    expect(items.map(({ story, answer }) => [story, answer])).toEqual([
      [row.story, 'hall'],
      [row.story, 'hall'],
    ]);
    expect(items[0].choices?.toSorted()).toEqual(['attic', 'hall']);
  });

  it.each([
    ['a run of 10^9 in its levels', answerPage({ bytes: [...levels(...run(1e9, 1)), 0, 0, 0, 0] })],
    [
      'a run of 10^9 of one index',
      answerPage({ bytes: [...levels(...run(1, 1)), 1, ...run(1e9, 0)], encoding: 8 }),
    ],
    ['a page of 10^9 values', answerPage({ count: 1e9 })],
    [
      'two values in one row',
      answerPage({ count: 2, bytes: [...levels(...run(2, 1)), ...plainTexts(['a', 'b'])] }),
    ],
    ['a page that unpacks to 2 GB', answerPage({ size: 2 ** 31 - 1 })],
    ['a text longer than its page', answerPage({ bytes: [...levels(...run(1, 1)), 0xff, 0xff, 0xff, 0x7f] })],
    ['values in an encoding of a few bytes for many', answerPage({ encoding: 7 })],
  ])('with %s is refused before it is believed', async (_, answer) => {
    await expect(previewDataset(parquetFile(1, { ...columns, answer }))).rejects.toEqual(
      expect.objectContaining({ code: expect.stringMatching(/^tom\/(bad-file|file-too-big)$/) as unknown }),
    );
  });

  it.each([
    ['10^9 rows in its only group', { groupRows: 1e9 }, 'tom/too-many-rows'],
    ['10^9 groups', { groups: 1e9 }, 'tom/bad-file'],
    ['columns larger than the file', { columnBytes: 1e6 }, 'tom/bad-file'],
  ])('with %s in its footer is refused', async (_, lies, name) => {
    await expect(previewDataset(parquetFile(1, columns, lies))).rejects.toEqual(code(name));
  });
});

describe('a parquet file that was cut off', () => {
  it('is refused by its name, its end and what is expected, wherever it was cut', async () => {
    const whole = new Uint8Array(await parquetFile(1, columns).arrayBuffer());
    for (const length of [4, 11, whole.length >> 1, whole.length - 1]) {
      const cut = new File([whole.slice(0, length)], 'half.parquet');
      await expect(importDataset(cut)).rejects.toMatchObject({
        code: 'tom/bad-file',
        message: expect.stringMatching(
          /^half\.parquet cannot be read as parquet \(.*does not end in PAR1/,
        ) as string,
        nextStep: expect.stringContaining('Fetch it again, whole') as string,
      });
    }
  });
});

describe('a short file that stands for a great deal', () => {
  it('by a story with thousands of questions is refused as it is chosen', async () => {
    const story = Array.from(
      { length: 1500 },
      (_, line) => `${line + 1} Ann entered the room number ${line}.`,
    );
    const questions = Array.from({ length: 40_000 }, (_, line) => `${line + 1501} Where?\thall\t1`);
    const text = [...story, ...questions].join('\n');
    expect(text.length).toBeLessThan(1_200_000);
    await expect(previewDataset(blob(text))).rejects.toEqual(code('tom/file-too-big'));
  });

  it('by a bAbI story longer than a row may be is refused at the line that makes it so', async () => {
    const lines = Array.from({ length: 70 }, (_, line) => `${line + 1} ${'x'.repeat(1000)}`);
    await expect(previewDataset(blob(lines.join('\n')))).rejects.toEqual(
      expect.objectContaining({
        code: 'tom/row-too-big',
        message: expect.stringContaining('Row 66') as unknown,
      }),
    );
  });

  it('by a conversation with hundreds of questions a row is refused', async () => {
    const binary = { question: 'Q?', correct_answer: 'no' };
    const set = {
      set_id: '1',
      short_context: 'x'.repeat(40_000),
      factQA: { question: 'q', correct_answer: 'a' },
      answerabilityQAs_binary: Array.from({ length: 350 }, () => binary),
    };
    const text = JSON.stringify(Array.from({ length: 10 }, () => set));
    expect(text.length).toBeLessThan(600_000);
    await expect(importDataset(blob(text))).rejects.toEqual(code('tom/file-too-big'));
  });
});

describe('a row', () => {
  it.each([
    ['JSON', (value: unknown) => JSON.stringify([value])],
    ['JSON by key', (value: unknown) => JSON.stringify({ first: value })],
    ['JSON lines', (value: unknown) => `${JSON.stringify(row)}\n${JSON.stringify(value)}`],
  ])('of %s is refused for all that is in it, not for its story alone', async (_, write) => {
    const choices = Array.from({ length: 7000 }, (__, index) => `a place named ${index}`);
    await expect(importDataset(blob(write({ ...row, choices })))).rejects.toEqual(code('tom/row-too-big'));
    const named = Object.fromEntries(choices.map((choice) => [choice, 0]));
    await expect(importDataset(blob(write({ ...row, ...named })))).rejects.toEqual(code('tom/row-too-big'));
  });

  it('of a parquet file is refused for its lists', async () => {
    const texts = Array.from({ length: 7000 }, (_, index) => `a place named ${index}`);
    const file = parquetFile(1, { ...columns, choices: { isList: true, pages: [listPage(texts)] } });
    await expect(importDataset(file)).rejects.toEqual(code('tom/row-too-big'));
  });

  it('of nothing but separators or quotes is refused while it is read', async () => {
    const head = 'story,question,answer\n';
    await expect(importDataset(blob(head + ','.repeat(5_000_000)))).rejects.toEqual(code('tom/row-too-big'));
    await expect(importDataset(blob(`${head}"${'""'.repeat(5_000_000)}"`))).rejects.toEqual(
      code('tom/row-too-big'),
    );
    const wide = `${'a,'.repeat(30_000)}a\n`;
    await expect(importDataset(blob(wide.repeat(100)))).rejects.toEqual(code('tom/file-too-big'));
  });
});

describe('values', () => {
  it('too many for the memory, or too deep in one another, are refused', async () => {
    const many = Array.from({ length: 3 }, () => Array.from({ length: 1_000_000 }, () => 0));
    await expect(importDataset(blob(JSON.stringify(many)))).rejects.toEqual(code('tom/file-too-big'));
    await expect(importDataset(blob(`[${'['.repeat(66)}${']'.repeat(67)}`))).rejects.toEqual(
      code('tom/bad-row'),
    );
    const quoted = JSON.stringify([{ ...row, story: '[{,"\\'.repeat(100) }]);
    expect((await importDataset(blob(quoted))).items).toHaveLength(1);
  });

  it('that are none cost nothing: a file of line breaks and one row is read', async () => {
    const text = `${JSON.stringify(row)}${'\n'.repeat(5_000_000)}${JSON.stringify(row)}`;
    expect((await importDataset(blob(text))).items.map(({ id }) => id)).toEqual(['own:1', 'own:5000001']);
  });

  it('of a kind that JSON cannot write are named in the error', () => {
    const columns = new Columns({ row: 1, value: { answer: 7n } });
    expect(() => columns.text('answer')).toThrow(MarbleError);
  });
});
