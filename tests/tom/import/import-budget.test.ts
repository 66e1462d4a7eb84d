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

it('a truncated or damaged parquet file is refused with its name, in words that are not those of its library', async () => {
  const whole = parquetFile([row]);
  const damaged = whole.slice();
  damaged.fill(0xaa, damaged.length - 40, damaged.length - 8); // a type of field that thrift does not have
  const lengths = [4, 11, whole.length >> 1, whole.length - 1];
  for (const bytes of [...lengths.map((length) => whole.slice(0, length)), damaged]) {
    const reason = bytes === damaged ? 'it is damaged' : 'it does not end in PAR1';
    await expect(importDataset(new File([bytes], 'half.parquet'))).rejects.toMatchObject({
      code: 'tom/bad-file',
      message: expect.stringContaining(`half.parquet cannot be read as parquet: ${reason}`) as string,
      nextStep: expect.stringContaining('Download the complete file again') as string,
    });
  }
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
  });
});

const header = 'story,question,answer\n';
it.each([
  ['a header', header],
  ['a header and a named separator', `sep=,\n${header}`],
])('a table may have 50,000 rows after %s, and not one more', { timeout: 60_000 }, async (_, start) => {
  const line = 'Ann entered the hall.,Where is Ann?,hall\n';
  expect((await importDataset(blob(start + line.repeat(50_000)))).items).toHaveLength(50_000);
  await expectRefused(start + line.repeat(50_001), 'tom/too-many-rows', 'The file has 50001 rows.');
});

it('a bAbI story is refused for thousands of questions, and above the row limit at the line that exceeds it', async () => {
  const linesOf = (count: number, text: string) => Array.from({ length: count }, (_, line) => `${line + 1} ${text}`); // prettier-ignore
  const story = linesOf(1500, 'Ann entered the room number 1000.');
  const text = [...story, ...linesOf(40_000, 'Where?\thall\t1').slice(1)].join('\n');
  expect(text.length).toBeLessThan(1_200_000);
  await expectRefused(text, 'tom/file-too-big');
  await expectRefused(linesOf(70, 'x'.repeat(1000)).join('\n'), 'tom/row-too-big', 'Row 66');
});

describe('a row', () => {
  it.each([
    ['JSON', (value: object) => JSON.stringify([value])],
    ['JSON by key', (value: object) => JSON.stringify({ first: value })],
    ['JSON lines', (value: object) => `${JSON.stringify(row)}\n${JSON.stringify(value)}`],
    ['parquet', (value: object) => parquetFile([value as Record<string, unknown>])],
  ])('of %s is refused for all of its content, not only its story', async (_, write) => {
    const choices = Array.from({ length: 7000 }, (__, index) => `a place named ${index}`);
    await expectRefused(write({ ...row, choices }), 'tom/row-too-big');
    const named = Object.fromEntries(choices.map((choice) => [choice, 0]));
    await expectRefused(write({ ...row, ...named }), 'tom/row-too-big');
  });

  it('of separators or quotes alone is refused while it is parsed', async () => {
    await expectRefused(header + ','.repeat(5_000_000), 'tom/row-too-big');
    await expectRefused(`${header}"${'""'.repeat(5_000_000)}"`, 'tom/row-too-big');
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
