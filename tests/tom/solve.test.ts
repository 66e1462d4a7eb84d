import { parquetReadObjects } from 'hyparquet';
import { describe, expect, it } from 'vitest';
import { solve } from '../../src/tom/beliefs/solve';
import { refusal } from '../model/refusal';
import { itemsOf } from './items';
import { sampleBlob, sampleLines, samplesPresent, sampleText } from './samples';

interface Row {
  story: string;
  question: string;
  answer: string;
  answer_rederived: string;
  question_type: string;
}

const agrees = (row: { story: string; question: string }, gold: string): boolean => {
  try {
    return solve(row.story, row.question).answer === gold;
  } catch {
    return false;
  }
};

describe.skipIf(!samplesPresent)('solving imported stories', () => {
  it('re-derives all 300 Hi-ToM questions and 289 of their chain-of-thought labels', () => {
    const rows = sampleLines<Row>('hitom/hitom_half.jsonl');
    expect(rows.filter((row) => agrees(row, row.answer_rederived))).toHaveLength(300);
    expect(rows.filter((row) => agrees(row, row.answer))).toHaveLength(289);
  });

  it("re-derives all labels of the original file's first 100, stories that end in asterisks among them", () => {
    const { data } = JSON.parse(sampleText('hitom/Hi-ToM_data.first100.json')) as { data: Row[] };
    expect(data.filter((row) => agrees(row, row.answer))).toHaveLength(100);
  });

  it("re-derives all 2,000 Hi-ToM items of ToM-RL's training file and 1,199 of its 1,200 ExploreToM items", async () => {
    const file = await sampleBlob('tom-rl/ToM_train_HiEx_hint.parquet').arrayBuffer();
    const rows = (await parquetReadObjects({ file })) as {
      data_source: string;
      story: string;
      question: string;
      answer: string;
    }[];
    const right = (source: string): number =>
      rows.filter((row) => row.data_source === source && agrees(row, row.answer)).length;
    expect(right('hi_tom')).toBe(2000);
    expect(right('explore_tom')).toBe(1199);
  });

  it('agrees with ToMi on memory, reality and first order, and with plain tracking on second order', () => {
    const rows = sampleLines<Row>('tomi/tomi_val.jsonl');
    expect(rows.filter((row) => agrees(row, row.answer_rederived))).toHaveLength(5994);
    const plain = rows.filter((row) => !row.question_type.startsWith('second_order'));
    expect(plain.filter((row) => agrees(row, row.answer))).toHaveLength(plain.length);
    expect(rows.filter((row) => !agrees(row, row.answer))).toHaveLength(482);
  });

  it('agrees with ExploreToM on containers and rooms, except for the beliefs of distracted agents about others', () => {
    const rows = sampleLines<Row>('exploretom/structured_open_third.jsonl');
    const missed = rows.filter((row) => !agrees(row, row.answer));
    expect(rows).toHaveLength(1726);
    expect(missed).toHaveLength(2);
    expect(
      missed.every(
        ({ story, question }) =>
          story.includes('Owen got distracted') && question.includes('does Owen think'),
      ),
    ).toBe(true);
  });
});

describe('solving', () => {
  const lines =
    '1 Ann, Bob and Cyd entered the attic.\n2 The pear is in the red_box.\n3 Ann moved the pear to the blue_jar.\n' +
    '4 Ann exited the attic.\n5 Dan lost his watch.\n6 Bob moved the pear to the green_bag.\n7 Bob exited the attic.\n' +
    '8 Cyd made no movements and stayed in the attic for 1 minute.\n9 Cyd exited the attic.\n' +
    '10 Ann, Bob and Cyd entered the waiting_room.\n';
  const ask = (question: string, more = ''): string => solve(`${lines}${more}`, question).answer;

  it('tracks which agents saw which moves', () => {
    expect(ask('Where is the pear really?')).toBe('green_bag');
    expect(ask('Where does Ann really think the pear is?')).toBe('blue_jar');
    expect(ask('Where does Cyd think Bob thinks the pear is?')).toBe('green_bag');
    expect(ask('Where does Cyd think Bob thinks Ann thinks the pear is?')).toBe('blue_jar');
  });

  it('makes only agents who left before the claimant believe a claim', () => {
    const claim = '11 Bob publicly claimed that pear is in the tin_can.\n';
    expect(ask('Where does Ann really think the pear is?', claim)).toBe('tin_can');
    expect(ask('Where does Cyd really think the pear is?', claim)).toBe('green_bag');
    expect(ask('Where does Ann think Bob thinks the pear is?', claim)).toBe('tin_can');
    expect(ask('Where does Bob think Cyd thinks the pear is?', claim)).toBe('tin_can');
    expect(ask('Where does Bob really think the pear is?', claim)).toBe('green_bag');
    expect(ask('Where does Ann think Bob thinks Cyd thinks the pear is?', claim)).toBe('blue_jar');
    expect(ask('Where is the pear really?', claim)).toBe('green_bag');
  });

  it('keeps a private claim between two agents', () => {
    const telling = '11 Cyd privately told Ann that the pear is in the tin_can.\n';
    expect(ask('Where does Ann really think the pear is?', telling)).toBe('tin_can');
    expect(ask('Where does Bob really think the pear is?', telling)).toBe('green_bag');
    expect(ask('Where does Cyd think Ann thinks the pear is?', telling)).toBe('tin_can');
  });

  it('makes an agent who has not left disbelieve a private claim, which the claimant does not notice', () => {
    const stays = lines
      .replace('9 Cyd exited the attic.\n', '')
      .replace('Ann, Bob and Cyd entered the waiting_room', 'Ann and Bob entered the waiting_room');
    const told = (question: string): string =>
      solve(`${stays}11 Bob privately told Cyd that the pear is in the tin_can.\n`, question).answer;
    expect(told('Where does Cyd really think the pear is?')).toBe('green_bag');
    expect(told('Where does Bob think Cyd thinks the pear is?')).toBe('tin_can');
  });

  it('lets a peeking agent know in secret, and a distracted agent miss what others think that she saw', () => {
    const story = (aside: string): string =>
      'Ann entered the hall. Bob entered the hall. Ann moved the key to the tin box, which is also located in the hall. ' +
      `Ann moved the key to the bag, which is also located in the hall. While this action was happening, ${aside}`;
    const peeking = story('Cyd witnessed this action in secret (and only this action).');
    expect(solve(peeking, 'In which container will Cyd search for the key?').answer).toBe('bag');
    expect(solve(peeking, 'In which container does Cyd think that Bob will search for the key?').answer).toBe(
      'bag',
    );
    expect(() =>
      solve(peeking, 'In which container does Bob think that Cyd will search for the key?'),
    ).toThrow(refusal('tom/unknown-belief'));
    const distracted = story('Bob got distracted and did not realize what happened.');
    expect(solve(distracted, 'In which container will Bob search for the key?').answer).toBe('tin box');
    expect(
      solve(distracted, 'In which container does Ann think that Bob will search for the key?').answer,
    ).toBe('bag');
  });

  it('hides the contents of closed containers from agents who enter', () => {
    const story =
      'Ann entered the hall. Ann moved the key to the tin box, which is also located in the hall. Bob entered the hall. ' +
      'Ann moved the key to the bag, which is also located in the hall. Cyd entered the hall.';
    expect(solve(story, 'In which container will Bob search for the key?').answer).toBe('bag');
    expect(() => solve(story, 'In which container will Cyd search for the key?')).toThrow(
      refusal('tom/unknown-belief'),
    );
    expect(solve(story, 'In which room does Ann think that Cyd will search for the tin box?').answer).toBe(
      'hall',
    );
  });

  it('refuses hostile text quickly', () => {
    const chewy = `Ann moved the ${'x to the '.repeat(5000)}hall`;
    expect(() => solve(chewy, 'Where is the x?')).toThrow(refusal('tom/unreadable-story'));
    const question = `Where does ${'Ann think that '.repeat(4000)}Bob searches for the x?`;
    expect(() => solve(lines, question)).toThrow(refusal('tom/unreadable-question'));
  });

  it('names the sentence or the question that it cannot parse', () => {
    expect(() => solve('the pear', 'Where is the pear?')).toThrow(refusal('tom/unreadable-story'));
    for (const question of [
      'Why?',
      'In which container was the pear before Dan left?',
      'Does Ann know that Bob painted the pear? Answer yes or no.',
    ])
      expect(() => solve(lines, question)).toThrow(refusal('tom/unreadable-question'));
  });
});

describe('solving texts that were copied and pasted', () => {
  const lines = (story: string, write: (line: string, index: number) => string): string =>
    story.split('\n').map(write).join('\n');
  const stories: [what: string, change: (story: string) => string][] = [
    ['with CRLF and no last line end', (story) => story.replaceAll('\n', '\r\n').trimEnd()],
    ['with blank lines and trailing spaces', (story) => lines(story, (line) => `${line}  \n`)],
    ['numbered "3. "', (story) => lines(story, (line, index) => `${index + 1}. ${line}`)],
    ['numbered "3) "', (story) => lines(story, (line, index) => `${index + 1}) ${line}`)],
    ['as bullets', (story) => lines(story, (line) => `- ${line}`)],
    ['in one line', (story) => story.replaceAll('\n', ' ')],
    ['under a heading', (story) => `Story:\n${story}`],
    ['with double and non-breaking spaces', (story) => story.replaceAll(' ', ' \u00a0')],
  ];
  const items = ['hitom', 'tomi', 'exploretom'].flatMap((source) =>
    itemsOf(source, 60, 5, { orders: [0, 1, 2] }),
  );

  it.each(stories)('%s gives the same answers', (_what, change) => {
    for (const { story, question, answer } of items) {
      expect(solve(change(story), ` Question: ${question.replace('?', ' ?')} \r\n`).answer).toBe(answer);
    }
  });

  it('with names that have accents gives the same answers', () => {
    for (const { story, question, answer } of items) {
      const [first] = /\b[A-Z][a-z]+\b(?=[ ,])/.exec(story)!;
      const renamed = (text: string): string => text.replaceAll(new RegExp(`\\b${first}\\b`, 'g'), 'Émilie');
      expect(solve(renamed(story), renamed(question)).answer).toBe(answer);
    }
  });

  it('refuses a question with agents that it cannot parse instead of answering another question', () => {
    const story =
      'Ann and Bob entered the hall. The pea is in the box. Ann exited the hall. Bob moved the pea to the bag.';
    expect(solve(story, 'Where does Ann think the pea is?').answer).toBe('box');
    expect(() => solve(story, 'Where does ann think the pea is?')).toThrow(/cannot be parsed/);
    expect(() => solve(story, 'Where does Ann think bob thinks the pea is?')).toThrow(/cannot be parsed/);
  });
});
