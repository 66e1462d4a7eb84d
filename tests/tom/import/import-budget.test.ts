import { describe, expect, it } from 'vitest';
import { MarbleError } from '../../../src/base/error';
import { importDataset } from '../../../src/tom/import/import-dataset';
import { Columns } from '../../../src/tom/import/reader';
import { parquetFile } from '../../fixtures/parquet-file';
import { refusal } from '../../model/refusal';

const blob = (content: BlobPart): Blob => new Blob([content]);
const expectRefused = (content: BlobPart, code: string, words?: string): Promise<void> =>
  expect(importDataset(blob(content))).rejects.toEqual(refusal(code, words));
const row = { story: 'Ann entered the hall.', question: 'Where is Ann?', answer: 'hall' };

it('a truncated parquet file is refused with its name and the missing end, for every length', async () => {
  const whole = parquetFile([row]);
  for (const length of [4, 11, whole.length >> 1, whole.length - 1]) {
    const cut = new File([whole.slice(0, length)], 'half.parquet');
    await expect(importDataset(cut)).rejects.toMatchObject({
      code: 'tom/bad-file',
      message: expect.stringMatching(
        /^half\.parquet cannot be read as parquet: it does not end in PAR1/,
      ) as string,
      nextStep: expect.stringContaining('Download the complete file again') as string,
    });
  }
});

it('a damaged parquet file is refused in words, not in those of its library', async () => {
  const damaged = parquetFile([row]);
  damaged.fill(0xaa, damaged.length - 40, damaged.length - 8); // a type of field that thrift does not have
  await expect(importDataset(new File([damaged], 'bad.parquet'))).rejects.toMatchObject({
    code: 'tom/bad-file',
    message: 'bad.parquet cannot be read as parquet: it is damaged.',
  });
});

describe('a text in another encoding', () => {
  const text = 'story,question,answer\nRené entered the hall.,Where is René?,hall\n';
  const utf16 = (littleEndian: boolean): Uint8Array<ArrayBuffer> => {
    const view = new DataView(new ArrayBuffer(2 * text.length));
    Array.from(text, (character, at) => view.setUint16(2 * at, character.charCodeAt(0), littleEndian));
    return new Uint8Array(view.buffer);
  };
  it.each([
    ['Latin-1', Uint8Array.from(text, (character) => character.charCodeAt(0)), /not in UTF-8: .*Latin-1/],
    ['UTF-16 with a mark', new Uint8Array([0xff, 0xfe, ...utf16(true)]), /in UTF-16, not in UTF-8/],
    ['big-endian UTF-16 with a mark', new Uint8Array([0xfe, 0xff, ...utf16(false)]), /in UTF-16/],
    ['UTF-16', utf16(true), /in UTF-16/],
    ['big-endian UTF-16', utf16(false), /in UTF-16/],
    ['ASCII in UTF-16', utf16(true).slice(0, 40), /in UTF-16/],
    ['a workbook', new Uint8Array([0x50, 0x4b, 3, 4, 0xff]), /a zip archive, or a workbook/],
    ['no text', new Uint8Array([0x89, 0x50, 0x4e, 0x47, 1, 2]), /neither parquet nor text/],
    ['one byte', new Uint8Array([0xff]), /not in UTF-8/],
  ])('(%s) is refused with its name and how to save it', async (_, bytes, words) => {
    await expect(importDataset(blob(bytes))).rejects.toMatchObject({
      code: 'tom/bad-file',
      message: expect.stringMatching(words) as string,
      nextStep: expect.stringContaining('Save it as UTF-8') as string,
    });
    await expect(importDataset(blob(bytes))).rejects.not.toMatchObject({
      message: expect.stringMatching(/TypeError|TextDecoder/) as string,
    });
  });
});

describe('a table of separated values', () => {
  const line = 'Ann entered the hall.,Where is Ann?,hall\n';
  const header = 'story,question,answer\n';
  it.each([
    ['a header', header],
    ['a header and a named separator', `sep=,\n${header}`],
  ])('may have 50,000 rows after %s, and not one more', { timeout: 60_000 }, async (_, start) => {
    expect((await importDataset(blob(start + line.repeat(50_000)))).items).toHaveLength(50_000);
    await expect(importDataset(blob(start + line.repeat(50_001)))).rejects.toMatchObject({
      code: 'tom/too-many-rows',
      message: 'The file has 50001 rows.',
    });
  });
});

describe('a short file that expands to a large one', () => {
  it('through a story with thousands of questions is refused', async () => {
    const story = Array.from(
      { length: 1500 },
      (_, line) => `${line + 1} Ann entered the room number ${line}.`,
    );
    const questions = Array.from({ length: 40_000 }, (_, line) => `${line + 1501} Where?\thall\t1`);
    const text = [...story, ...questions].join('\n');
    expect(text.length).toBeLessThan(1_200_000);
    await expectRefused(text, 'tom/file-too-big');
  });

  it('through a bAbI story above the row limit is refused at the line that exceeds it', async () => {
    const lines = Array.from({ length: 70 }, (_, line) => `${line + 1} ${'x'.repeat(1000)}`);
    await expectRefused(lines.join('\n'), 'tom/row-too-big', 'Row 66');
  });
});

describe('a row', () => {
  it.each([
    ['JSON', (value: unknown) => JSON.stringify([value])],
    ['JSON by key', (value: unknown) => JSON.stringify({ first: value })],
    ['JSON lines', (value: unknown) => `${JSON.stringify(row)}\n${JSON.stringify(value)}`],
  ])('of %s is refused for all of its content, not only its story', async (_, write) => {
    const choices = Array.from({ length: 7000 }, (__, index) => `a place named ${index}`);
    await expectRefused(write({ ...row, choices }), 'tom/row-too-big');
    const named = Object.fromEntries(choices.map((choice) => [choice, 0]));
    await expectRefused(write({ ...row, ...named }), 'tom/row-too-big');
  });

  it('in a parquet file is refused for its lists', async () => {
    const texts = Array.from({ length: 7000 }, (_, index) => `a place named ${index}`);
    await expectRefused(parquetFile([{ ...row, choices: texts }]), 'tom/row-too-big');
  });

  it('of separators or quotes alone is refused while it is parsed', async () => {
    const head = 'story,question,answer\n';
    await expectRefused(head + ','.repeat(5_000_000), 'tom/row-too-big');
    await expectRefused(`${head}"${'""'.repeat(5_000_000)}"`, 'tom/row-too-big');
    const names = Array.from({ length: 9000 }, (_, index) => index).join();
    await expectRefused(`${names}\n${`${','.repeat(8999)}\n`.repeat(300)}`, 'tom/file-too-big');
  });
});

describe('values', () => {
  it('that exceed the memory or are nested too deep are refused', async () => {
    const many = Array.from({ length: 3 }, () => Array.from({ length: 1_000_000 }, () => 0));
    await expectRefused(JSON.stringify(many), 'tom/file-too-big');
    await expectRefused(`[${'['.repeat(66)}${']'.repeat(67)}`, 'tom/bad-row');
    const quoted = JSON.stringify([{ ...row, story: '[{,"\\'.repeat(100) }]);
    expect((await importDataset(blob(quoted))).items).toHaveLength(1);
  });

  it('that are empty cost nothing: a file of line breaks and one row is read', async () => {
    const text = `${JSON.stringify(row)}${'\n'.repeat(5_000_000)}${JSON.stringify(row)}`;
    expect((await importDataset(blob(text))).items.map(({ id }) => id)).toEqual(['own:1', 'own:5000001']);
  });

  it('of a kind that JSON cannot write are named in the error', () => {
    const columns = new Columns({ row: 1, value: { answer: [7n] } });
    expect(() => columns.text('answer')).toThrow(MarbleError);
  });
});
