/** User data as common tools write it. */
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { readFileSync } from 'node:fs';
import { parquetWriteBuffer, type ColumnSource } from 'hyparquet-writer';
import { describe, expect, it } from 'vitest';
import { importDataset } from '../../../src/tom/import/import-dataset';
import type { Item } from '../../../src/tom/item';
import { generatorNames } from '../../../src/tom/worlds/generate';
import { builtInTasks } from '../../../src/tom/worlds/orders';
import { parquetFile } from '../../fixtures/parquet-file';
import { hasShared, sharedPath } from '../../fixtures/shared';

const row = { story: 'Ann left.', question: 'Where does Ann think the key is?', answer: 'box' };
type Row = Readonly<Record<string, unknown>>;

const itemsOf = async (content: BlobPart): Promise<Item[]> =>
  (await importDataset(new Blob([content]))).items;

function csvOf(rows: readonly Row[]): string {
  const cell = (value: unknown): string =>
    typeof value === 'string' ? value : value === null ? '' : JSON.stringify(value);
  const quoted = (value: unknown): string => `"${cell(value).replaceAll('"', '""')}"`;
  const names = Object.keys(rows[0]);
  return [names, ...rows.map((one) => names.map((name) => one[name]))]
    .map((fields) => fields.map(quoted).join(','))
    .join('\n');
}

const writers: Record<string, (rows: readonly Row[]) => BlobPart> = {
  CSV: csvOf,
  JSON: (rows) => JSON.stringify(rows),
  'JSON lines': (rows) => rows.map((one) => JSON.stringify(one)).join('\n'),
  parquet: parquetFile,
};

describe.each(Object.entries(writers))('%s', (_, write) => {
  it('gives the same answers for whole numbers, fractions and booleans', async () => {
    for (const answer of [42, -1.5, true])
      expect((await itemsOf(write([{ ...row, answer }])))[0].answer).toBe(String(answer));
  });

  it('treats an empty order and empty choices as missing', async () => {
    const none = { ...row, order: null, kind: null, choices: null };
    const items = await itemsOf(write([none, { ...row, order: 2, kind: 'x', choices: ['box', 'jar'] }]));
    const found = items.map(({ order, choices }) => [order, choices?.toSorted()]);
    expect(found).toEqual([[1, undefined], [2, ['box', 'jar']]]); // prettier-ignore
  });

  it('names the row and the column of an empty answer', async () => {
    const rows = [row, { ...row, answer: null }];
    await expect(itemsOf(write(rows))).rejects.toThrow(
      /Row [23]: column "answer" should be text, but is missing/,
    );
  });
});

const builtIn = [...Object.entries(builtInTasks), ...generatorNames().map(({ datasets }) => datasets)].flat();
it('a data set of the user never has the name of a built-in task or of its data set', async () => {
  for (const name of builtIn.flatMap((one) => [one, ` ${one.toUpperCase()} `])) {
    const { items } = await importDataset(new Blob([JSON.stringify([row])]), { name });
    expect(items[0].dataset).toBe(`${name} (own)`);
  }
  const { items } = await importDataset(new Blob([JSON.stringify([row])]), { name: 'my stories' });
  expect(items[0].dataset).toBe('my stories');
});

it.each([
  ['Does Ann know that Bob left? Answer yes or no.', {}, 1],
  ['In which container was the key before Ann left?', {}, 0],
  ['Who knows about the key? List the names.', {}, 1],
  ['Where is it?', { order: -1 }, 0],
  ['Why did Ann leave?', {}, 0],
])('"%s" with %o has order %i', async (question, more, order) => {
  expect((await itemsOf(JSON.stringify([{ ...row, question, ...more }])))[0].order).toBe(order);
});

it('JSON Lines may have a single line, and a single object may be indented', async () => {
  for (const text of [JSON.stringify(row), `${JSON.stringify(row)}\n\n`, JSON.stringify(row, null, 2)])
    expect((await importDataset(new Blob([text]))).items.map(({ id, answer }) => [id, answer])).toEqual([['own:1', 'box']]); // prettier-ignore
});

describe('JSON as Python writes it', () => {
  const line = (more: string): string => `${JSON.stringify(row).slice(0, -1)},${more}}`;

  it.each(['NaN', 'Infinity', '-Infinity', '"\\ud83d"', '{"a":1,"a":2}'])(
    '%s loads in an unused column, and is named in a used one',
    async (value) => {
      const [plain, extra] = [JSON.stringify(row), line(`"score":${value}`)];
      for (const text of [`${extra}\n${plain}`, `[${extra},${plain}]`, extra])
        expect((await itemsOf(text))[0].answer).toBe('box');
      const bad = extra.replace('"box"', value);
      const message = /^Row 2: column "answer" (should be text, but is|has half of a character)/;
      for (const text of [`${plain}\n${bad}`, `[${plain},${bad}]`])
        await expect(itemsOf(text)).rejects.toThrow(message);
    },
  );

  it('a whole number that would be rounded is refused', async () => {
    const text = JSON.stringify(row).replace('"box"', '12345678901234567890');
    await expect(itemsOf(text)).rejects.toThrow('has a number with more digits than can be read');
  });
});

it.each([
  [['jar', 'tin'], 'should have the answer "box" once, but has it 0 times'],
  [['box', 'jar', 'Box.'], 'should have the answer "box" once, but has it 2 times'],
  [['box', 'jar', 'jar'], 'has "jar" twice'],
  [['Box', 'jar'], null],
])('choices %j: %s', async (choices, fault) => {
  const read = itemsOf(JSON.stringify([row, { ...row, choices }]));
  if (fault === null) expect(await read).toHaveLength(2);
  else await expect(read).rejects.toThrow(`Row 2: column "choices" ${fault}.`);
});

it('a duplicate column is refused', async () => {
  const data = ['Ann left.'];
  const columnData = ['story', 'question', 'answer', 'answer'].map((name): ColumnSource => ({ name, data }));
  for (const content of [
    'story,question,answer, answer\nAnn left.,Where?,box,jar\n',
    parquetWriteBuffer({ columnData, codec: 'UNCOMPRESSED' }),
  ])
    await expect(itemsOf(content)).rejects.toThrow('has the column "answer" twice');
  expect(await itemsOf('story,question,answer,,\nAnn left.,Where?,box,,\n')).toHaveLength(1);
});

describe('CSV', () => {
  it('has choices as a JSON list in a cell', async () => {
    const choices = JSON.stringify(['box', 7, true]);
    const [item] = await itemsOf(csvOf([{ ...row, choices }]));
    expect(item.choices?.toSorted()).toEqual(['7', 'box', 'true']);
    for (const [bad, fault] of [
      ['box, jar', '"choices" should be a list of texts such as ["box", "jar"], but is "box, jar"'],
      ['["box", null]', '"choices[1]" should be text, but is missing'],
    ])
      await expect(itemsOf(csvOf([{ ...row, choices: bad }]))).rejects.toThrow(`Row 2: column ${fault}`);
  });

  it.each([';', ',', '\t', '|'])('may name its separator first, as Excel does: %j', async (mark) => {
    const lines = [['story', 'question', 'answer'], ['Ann, left; so|.', 'Where?', 'box']]; // prettier-ignore
    const text = lines.map((fields) => fields.map((field) => `"${field}"`).join(mark)).join('\r\n');
    expect((await itemsOf(`sep=${mark}\r\n${text}`)).map(({ id, story }) => [id, story])).toEqual([['own:3', 'Ann, left; so|.']]); // prettier-ignore
    await expect(importDataset(new Blob([`sep=${mark}\n`]))).rejects.toThrow('holds no rows');
  });
});

/** A frame of zstd (RFC 8878) with one uncompressed block. */
function storedZstd(input: Uint8Array): Uint8Array {
  const block = (input.length << 3) | 1;
  const size = new Uint8Array(Uint32Array.of(input.length).buffer);
  return Uint8Array.of(0x28, 0xb5, 0x2f, 0xfd, 0xa0, ...size, block & 255, (block >> 8) & 255, block >> 16, ...input); // prettier-ignore
}

describe('parquet', () => {
  it.each([
    ['ZSTD', storedZstd],
    ['GZIP', gzipSync],
    ['BROTLI', brotliCompressSync],
  ] as const)('is read with %s', async (codec, compress) => {
    const columnData = Object.entries(row).map(([name, value]): ColumnSource => ({ name, data: Array.from({ length: 40 }, () => value) })); // prettier-ignore
    const compressors = { [codec]: (input: Uint8Array) => new Uint8Array(compress(input)) };
    const items = await itemsOf(parquetWriteBuffer({ columnData, codec, compressors }));
    expect(items.map(({ answer }) => answer)).toEqual(Array.from({ length: 40 }, () => 'box'));
  });

  const written = 'cases/data-rows/zstd.parquet';
  it.skipIf(!hasShared(written))("is read as pyarrow's zstd", async () => {
    const items = await itemsOf(readFileSync(sharedPath(written)));
    expect(items.map(({ answer }) => answer)).toEqual(['box', 'jar', 'tin']);
  });
});
