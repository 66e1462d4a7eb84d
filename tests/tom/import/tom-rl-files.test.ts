/** Miniatures of ToM-RL's published files: their columns and conventions, filled with our own stories. */
import { describe, expect, it } from 'vitest';
import { suiteRows } from '../../../src/reward/suites';
import { withWorld } from '../../../src/tom/worlds/story-item';
import { importDataset } from '../../../src/tom/import/import-dataset';
import type { Item } from '../../../src/tom/item';
import { itemsOf } from '../items';
import { parquetFile } from '../../fixtures/parquet-file';

/** Every row of the test file has every field in `extra_info`, most of them null. */
const names = 'deception infilled_story question_order question_type question_type2 story_length';
const noExtra = Object.fromEntries(names.split(' ').map((name) => [name, null]));

interface Row {
  data_source: string;
  story: string;
  question: string;
  answer: string;
  extra_info?: Record<string, unknown>;
}

function publish(rows: readonly Row[]): Blob {
  const published = rows.map((row) => {
    const unread = { ability: 'theory_of_mind', reward_model: { ground_truth: row.answer, style: 'rule' } };
    return { ...row, ...unread, extra_info: { ...noExtra, ...row.extra_info } };
  });
  return new Blob([parquetFile(published)]);
}

const quoted = (field: string): string => `"${field.replaceAll('"', '""')}"`;

const theirs: Row[] = [
  {
    data_source: 'tomi',
    story:
      'Ann entered the hall. Bob entered the hall. Ann hates the tie The pear is in the box. Bob exited the hall. Cyd likes the hat Ann moved the pear to the bag.',
    // A third of the file's ToMi questions begin with a space.
    question: ' Where does Ann think that Bob searches for the pear?',
    answer: 'box',
    extra_info: { question_type: 'false_belief', question_type2: 'second_order_0_tom' },
  },
  {
    data_source: 'explore_tom',
    story:
      'Ann entered the attic. Ann moved the coin to the tin box, which is also located in the attic. Bob entered the attic.',
    question: 'In which container is the coin now?',
    answer: 'tin box',
    extra_info: {
      infilled_story: 'Dust lay on everything when Ann hid her coin in the tin box; Bob came up later.',
      question_order: -1,
      question_type: 'ground_truth-container_location',
    },
  },
  {
    data_source: 'hi_tom',
    story:
      'Ann, Bob and Cyd entered the den. The corn is in the red_box. Ann moved the corn to the blue_bag. Ann exited the den. Bob made no movements and stayed in the den for 1 minute. Bob exited the den. Cyd exited the den. Ann, Bob and Cyd entered the waiting_room.',
    question: 'Where does Ann think Bob thinks Cyd thinks Ann thinks the corn is?',
    answer: 'blue_bag',
    extra_info: { deception: true, question_order: 4, story_length: 2 },
  },
];

describe("ToM-RL's test file", () => {
  it('is read completely: each source is a data set with order and kind, and the infilled telling is another', async () => {
    const { dataset, format, rows, items, skipped } = await importDataset(publish(theirs));
    expect([dataset, format, rows, skipped]).toEqual(['tom-rl', 'parquet', 3, {}]);
    expect(items.map((item) => [item.id, item.dataset, item.order, item.kind, item.answer])).toEqual([
      ['tomi:1', 'tomi', 2, 'second_order_0_tom', 'box'],
      ['exploretom:2.1', 'exploretom', 0, 'ground_truth-container_location', 'tin box'],
      ['exploretom-infilled:2.2', 'exploretom-infilled', 0, 'ground_truth-container_location', 'tin box'],
      ['hitom:3', 'hitom', 4, 'length-2 told', 'blue_bag'],
    ]);
    expect(items[0].question).toBe('Where does Ann think that Bob searches for the pear?');
    expect(items[2].story).toMatch(/^Dust lay/);
    // A split by story keeps both tellings on one side.
    expect(items[2].storyId).toBe(items[1].storyId);
    const solved = items.map(withWorld).filter(({ world }) => world !== undefined);
    expect(solved.map(({ dataset }) => dataset)).toEqual(['tomi', 'exploretom', 'hitom']);
  });

  it("takes the order and ToMi's kind from the question if there are no other columns, as in the training file", async () => {
    const bare = theirs.map((row) => JSON.stringify({ ...row, extra_info: { key: 'dummy' } }));
    const { items } = await importDataset(new Blob([bare.join('\n')]));
    expect(items.map(({ dataset, order, kind }) => [dataset, order, kind])).toEqual([
      ['tomi', 2, 'second_order'],
      ['exploretom', 0, undefined],
      ['hitom', 4, undefined],
    ]);
  });

  it('is refused with the number of the row that has an unknown source or an invalid order', async () => {
    const other = publish([...theirs, { ...theirs[0], data_source: 'kosinski' }]);
    await expect(importDataset(other)).rejects.toThrow('Row 4: column "data_source" is "kosinski"');
    const lines = theirs.with(1, { ...theirs[1], extra_info: { question_order: 'second' } });
    const text = lines.map((row) => JSON.stringify(row)).join('\n');
    await expect(importDataset(new Blob([text]))).rejects.toThrow('Row 2: column "question_order"');
  });
});

const drawn = (source: string, orders: number[]): Item[] => itemsOf(source, 20, 4, { orders });

it("ToM-RL's evaluation file turns the columns of the paper's Table 1 into rows, each by order", async () => {
  const sources: Record<string, Item[]> = {
    hi_tom: drawn('hitom', [0, 1, 2, 3, 4]),
    '4th-order-ToM': drawn('hitom', [4]),
    tomi: drawn('tomi', [0, 1, 2]),
    explore_tom_structured: drawn('exploretom', [0, 1, 2]),
    explore_tom_infilled: drawn('exploretom-infilled', [0, 1, 2]),
  };
  const lines = Object.entries(sources).flatMap(([source, items]) =>
    items.map(({ story, question, answer }) =>
      [source, quoted(story), quoted(question), quoted(`<|im_start|>\n${story}`), answer].join(','),
    ),
  );
  const file = new Blob([['data_source,story,question,prompt,answer', ...lines].join('\n')]);
  const { items } = await importDataset(file);
  const rows = suiteRows(
    items.map(withWorld).map((item) => ({ item, answer: item.answer })),
    ({ dataset, order }) => dataset === 'hitom' && order < 4,
  );
  const whole = rows.filter(({ part }) => part === 'all');
  const tasks = ['Hi-ToM', '4th-order ToM', 'ToMi', 'ExploreToM structured', 'ExploreToM infilled'];
  expect(whole.map(({ task, accuracy }) => [task, accuracy.count])).toEqual(tasks.map((task) => [task, 20]));
  const ofOrder = rows.filter(({ part }) => part === 'order 2').map(({ task }) => task);
  expect(ofOrder).toEqual(tasks.filter((task) => task !== '4th-order ToM'));
  expect(whole[1].inDistribution).toBe(false);
  expect(whole[1].shortcutLine).toBeGreaterThan(0);
});

it("ToM-RL's copy of Hi-ToM writes deception as text, and has a question with and without choices", async () => {
  const [story, question] = [quoted(theirs[2].story), 'Where is the corn really?'];
  const row = (told: string): string =>
    [told, 1, 0, story, quoted(`${question} (red_box / blue_bag)`), 'blue_bag', question].join(',');
  const header = 'deception,story_length,question_order,story,question,answer,question_old';
  const { items } = await importDataset(new Blob([[header, row('True'), row('False')].join('\n')]));
  expect(items.map((item) => [item.dataset, item.kind, item.question])).toEqual([
    ['hitom', 'length-1 told', question],
    ['hitom', 'length-1 untold', question],
  ]);
});
