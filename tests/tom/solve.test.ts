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
    for (const { story, question } of missed)
      expect(`${story} ${question}`).toMatch(/Owen got distracted.*does Owen think/s);
  });
});

const short = 'Ann and Bob entered the attic. The pear is in the red_box.';
it.each([
  ['a story without names', 'the pear', 'Where is the pear?', 'story'],
  ['a hostile story, quickly', `Ann moved the ${'x to the '.repeat(5000)}hall`, 'Where is the x?', 'story'],
  [
    'a hostile question',
    short,
    `Where does ${'Ann think that '.repeat(4000)}Bob searches for the x?`,
    'question',
  ],
  ['an unknown question', short, 'Why?', 'question'],
  ['an agent without a capital letter', short, 'Where does Ann think bob thinks the pear is?', 'question'],
  ['a question of no data set', short, 'In which room will Ann look for the pear?', 'question'],
  ['an unknown event', short, 'In which container was the pear before Dan left?', 'question'],
  ['an unknown state', short, 'Does Ann know that Bob painted the pear? Answer yes or no.', 'question'],
])('%s is refused by name', (_, story, question, what) => {
  expect(() => solve(story, question)).toThrow(refusal(`tom/unreadable-${what}`));
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
});
