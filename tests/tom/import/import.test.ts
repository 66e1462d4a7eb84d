import { describe, expect, it } from 'vitest';
import type { World } from '../../../src/tom/beliefs/world';
import { withWorld } from '../../../src/tom/worlds/story-item';
import { importDataset, previewDataset } from '../../../src/tom/import/import-dataset';
import type { Item } from '../../../src/tom/item';
import { formatPrompt } from '../../../src/tom/text/prompts';
import { splitByStory } from '../../../src/tom/stories';
import { refusal } from '../../model/refusal';
import { itemsOf, plainItem } from '../items';
import { sampleBlob, samplesPresent } from '../samples';

const blob = (text: string): Blob => new Blob([text]);
const message = (part: string): unknown =>
  expect.objectContaining({ message: expect.stringContaining(part) as unknown });
/** Expects the import of a text to end in an error of this code. */
const expectRefused = (content: BlobPart, code: string): Promise<void> =>
  expect(importDataset(new Blob([content]))).rejects.toEqual(refusal(code));
const ordersOf = (items: readonly Item[]): string =>
  [...new Set(items.map(({ order }) => order))].sort().join('');
const row = { story: 'Ann entered the hall.', question: 'Where is Ann?', answer: 'hall' };

describe('formats', () => {
  it('are detected from their content', async () => {
    const json = JSON.stringify([row, row]);
    const lines = `${JSON.stringify(row)}\n${JSON.stringify(row)}\n`;
    const csv = 'story,question,answer\r\n\r\n"Ann said ""hm"",\nthen left.",Where?,hall\r\n\r\n';
    const babi =
      '1 Ann entered the hall.\n2 The pear is in the box.\n3 Where is the pear really?\tbox\t1\n1 Bob entered the hall.\n2 Where was the pear at the beginning?\tbag\t1\n';
    const texts = { json, jsonl: lines, csv, babi };
    for (const [format, text] of Object.entries(texts))
      expect(await previewDataset(blob(text))).toMatchObject({ format });
    expect((await importDataset(blob(JSON.stringify({ data: [row] })))).items).toHaveLength(1);
    expect((await importDataset(blob(csv))).items[0].story).toBe('Ann said "hm",\nthen left.');
    const { items } = await importDataset(blob(babi));
    expect(items.map(({ story, answer, id, kind }) => [story, answer, id, kind])).toEqual([
      ['Ann entered the hall.\nThe pear is in the box.', 'box', 'tomi:3', 'reality'],
      ['Bob entered the hall.', 'bag', 'tomi:5', 'memory'],
    ]);
  });

  it('are previewed by at most three rows, with their terms', async () => {
    const preview = await previewDataset(blob(JSON.stringify(Array(4).fill(row))));
    expect(preview).toMatchObject({ dataset: 'own', licence: 'your own', rows: 4, sample: { length: 3 } });
    const known = JSON.stringify({ question: '?', answer: '#### 1' });
    expect((await previewDataset(blob(known))).licence).toBe('MIT');
  });
});

const sum = { question: 'What is 3 + 4?', answer: '7' };
it.each([sum, { story: '', ...sum }])('a row needs no story: %j', async (plain) => {
  const { items } = await importDataset(blob(JSON.stringify([plain])), { name: 'sums' });
  expect(items).toEqual([expect.objectContaining({ story: '', ...sum })]);
  const { messages } = formatPrompt(items[0], 'chat') as { messages: { content: string }[] };
  expect(messages.map(({ content }) => content).join(' ')).not.toMatch(/story|people/);
});

describe('bad files', () => {
  it.each([
    ['an empty file', '', 'tom/unknown-format'],
    ['prose', 'Once upon a time', 'tom/unknown-format'],
    ['broken JSON', '[{"story":', 'tom/bad-file'],
    ['unknown columns', '[{"text":"x"}]', 'tom/unknown-format'],
    ['JSON without rows', '[]', 'tom/unknown-format'],
    ['deeply nested JSON', '['.repeat(200_000), 'tom/bad-file'],
    ['a quote that never ends', 'story,question,answer\n"a,b,c', 'tom/bad-row'],
    ['a short record', 'story,question,answer\na,b\n', 'tom/bad-row'],
    ['text after a quoted field', 'story,question,answer\n"a"b,c,d\n', 'tom/bad-row'],
    ['a bAbI line without a number', '1 Ann left.\nBob left.\n', 'tom/bad-row'],
    ['an order above 35', JSON.stringify([{ ...row, order: 36 }]), 'tom/bad-row'],
    ['a long kind', JSON.stringify([{ ...row, question_type: 'x'.repeat(201) }]), 'tom/bad-row'],
    ['FANToM', '[{"set_id":"1","short_context":"x","factQA":{"question":"q"}}]', 'tom/unknown-format'],
    ["OpenToM's questions", '{"7":[{"question":"q","answer":"a","type":"attitude"}]}', 'tom/unknown-format'],
    ['BigToM', `${'A long sentence about Ann;'.repeat(2)}Another\n`, 'tom/bad-row'],
  ])('%s: a named error', async (_, text, name) => {
    await expectRefused(text, name);
  });

  it('name the row, and import nothing', async () => {
    const rows = [row, row, { ...row, answer: null }, row];
    const text = rows.map((one) => JSON.stringify(one)).join('\n');
    await expect(importDataset(blob(text))).rejects.toEqual(message('Row 3: column "answer" should be text'));
    await expect(importDataset(blob(`${JSON.stringify(row)}\n{"story":\n`))).rejects.toEqual(
      message('Row 2: is not valid JSON'),
    );
    await expect(importDataset(blob(JSON.stringify([row, null])))).rejects.toEqual(message('Row 2'));
    // the line of the file, also after a line break within quotes
    const csv = 'story,question,answer\n"Ann\nleft.",Where?,hall\nBob left.,Where?,\n';
    await expect(importDataset(blob(csv))).rejects.toEqual(message('Row 4: column "answer"'));
  });

  // more limits: import-budget.test.ts
  it('are refused when they have too many bytes', async () => {
    await expectRefused(new Uint8Array(33 * 1024 * 1024), 'tom/file-too-big');
  });

  it('with hostile names set nothing on prototypes', async () => {
    const text = '[{"__proto__":{"polluted":1},"story":"s","question":"q","answer":"a","constructor":1}]';
    expect((await importDataset(blob(text))).items).toHaveLength(1);
    expect(({} as { polluted?: number }).polluted).toBeUndefined();
    await expectRefused('[{"story":"s","question":"q","__proto__":{"answer":"a"}}]', 'tom/unknown-format');
  });
});

describe('data sets', () => {
  it('GSM8K: the number after the hashes', async () => {
    const imported = (...golds: string[]) =>
      importDataset(blob(golds.map((gold) => JSON.stringify({ question: '?', answer: gold })).join('\n')));
    const golds = ['.5', '$18', '-$5', '\u22125', '5.', '0.50', '1,005'];
    const { items } = await imported(...golds.map((gold) => `It is 7.\n#### ${gold}`));
    expect(items.map(({ answer }) => answer)).toEqual(['0.5', '18', '-5', '-5', '5', '0.5', '1005']);
    expect(items[0]).toMatchObject({ dataset: 'gsm8k', order: 0 });
    for (const bad of ['#### 1/2', '#### many', '#### 3 or 4', 'So 5.'])
      await expect(imported('#### 1', bad)).rejects.toEqual(message('Row 2: column "answer" does not end'));
  });

  it.skipIf(!samplesPresent).each([
    ['hitom/Hi-ToM_data.first100.json', 'json', 'hitom', 100, '01234'],
    ['hitom/hitom_half.jsonl', 'jsonl', 'hitom', 300, '01234'],
    ['tomi/fb_all_val.txt', 'babi', 'tomi', 5994, '012'],
    ['tomi/tomi_val.jsonl', 'jsonl', 'tomi', 5994, '012'],
    ['exploretom/exploretom.first60.jsonl', 'jsonl', 'exploretom', 120, '012'],
    ['exploretom/structured_open_third.jsonl', 'jsonl', 'exploretom', 1726, '012'],
    ['tom-rl/ToM_train_HiEx_hint.parquet', 'parquet', 'tom-rl', 3200, '0123'],
  ])('%s is %s of %s with %i items of orders %s', async (path, format, dataset, count, orders) => {
    const imported = await importDataset(sampleBlob(path));
    expect(imported).toMatchObject({ format, dataset });
    expect(imported.items).toHaveLength(count);
    expect(new Set(imported.items.map(({ id }) => id)).size).toBe(count);
    expect(ordersOf(imported.items)).toBe(orders);
  });
});

it.each(['hitom', 'tomi', 'exploretom'])(
  'an item of %s gets a world, but not by a wrong label, with an unreadable text or as a row of the user',
  (dataset) => {
    const [{ story, question, answer, world }] = itemsOf(dataset, 1);
    const item = plainItem({ dataset, story, question, answer });
    expect(withWorld(item).world).toMatchObject({ question: (world as World).question });
    for (const change of [{ answer: 'nowhere' }, { question: 'Why?' }, { dataset: 'own' }]) {
      const other = { ...item, ...change };
      expect(withWorld(other)).toBe(other);
    }
  },
);

describe('splits by story', () => {
  it('keep every story on one side and take as many stories as needed, at most half', async () => {
    const text = Array.from({ length: 3000 }, (_, index) =>
      JSON.stringify({ ...row, story: `Story ${index >> 1}.`, question: `${index & 1}?` }),
    ).join('\n');
    const { items } = await importDataset(blob(text));
    const { train, test } = splitByStory(items, 600, ({ question }) => question === '0?', 5);
    const stories = [train, test].map((side) => new Set(side.map(({ storyId }) => storyId)));
    expect(stories.map(({ size }) => size)).toEqual([900, 600]);
    expect(test.every(({ storyId }) => !stories[0].has(storyId))).toBe(true);
    expect(splitByStory(items, 1e6, () => true, 5).test).toHaveLength(1500);
  });

  it('depend on the seed and the stories, not on their order in the file', () => {
    const items = itemsOf('tomi', 200, 1, { orders: [0, 1] });
    const sides = (list: readonly Item[], seed: number): string[] =>
      splitByStory(list, 50, () => true, seed)
        .test.map(({ storyId }) => storyId)
        .sort();
    expect(sides(items.toReversed(), 5)).toEqual(sides(items, 5));
    expect(sides(items, 6)).not.toEqual(sides(items, 5));
  });
});
