import { describe, expect, it } from 'vitest';
import { checkTrace, score } from '../../src/reward/score';
import type { RewardPreset } from '../../src/reward/types';
import type { Item } from '../../src/tom/item';
import { swapExample } from '../tom/items';
import { swapItem } from '../../src/tom/worlds/swap';

const item: Item = swapItem(swapExample, 'example');
const box: Item = { ...item, answer: 'red_box', world: undefined };
/** Column of each preset in the tables below. The type requires an entry for every new preset. */
const columns: Record<RewardPreset, number> = {
  'tom-rl': 0,
  'rlvr-tom': 1,
  'logic-rl': 2,
  'answer-only': 3,
  faithful: 4,
};
/** Minimum and maximum total of each preset, without rules on length. */
const bounds: Record<RewardPreset, [least: number, most: number]> = {
  'tom-rl': [-3, 3],
  'rlvr-tom': [0, 1.1],
  'logic-rl': [-3, 3],
  'answer-only': [0, 1],
  faithful: [-1, 4],
};
const presets = Object.keys(columns) as RewardPreset[];
const total = (completion: string, preset: RewardPreset): number => score(completion, item, { preset }).total;
const totalsOf = (completion: string): number[] => presets.map((preset) => total(completion, preset));

describe('rewards of adversarial completions', () => {
  const wellFormed = 'x </think> <answer> bin </answer>';
  const table: [name: string, completion: string, totals: number[]][] = [
    // Totals in the order of `columns`. The trace `x` contains no statement.
    ['right', wellFormed, [3, 1.1, 3, 1, 1]],
    ['right, in upper case and with a full stop', '</think><answer>\n BIN. </answer>', [3, 1.1, 3, 1, 1]],
    ['wrong', '</think><answer>jar</answer>', [-1, 0.1, -0.5, 0, 1]],
    ['empty answer', '</think><answer></answer>', [-1, 0.1, -1, 0, 1]],
    ['empty', '', [-3, 0, -3, 0, -1]],
    ['no answer tag', '</think> bin', [-3, 0, -3, 0, -1]],
    ['answer not closed', '</think><answer>bin', [-3, 0, -3, 0, -1]],
    ['thinking not closed', '<answer>bin</answer>', [-3, 0, -3, 1, -1]],
    ['opened twice', `<think> ${wellFormed}`, [-3, 0, -3, 1, -1]],
    [
      'answered twice, the last counts',
      '</think><answer>jar</answer><answer>bin</answer>',
      [-3, 0, -3, 1, -1],
    ],
    ['nested answers', '</think><answer><answer>bin</answer></answer>', [-3, 0, -3, 0, -1]],
    ['answer before the thinking ends', '<answer>bin</answer></think>', [-3, 0, -3, 1, -1]],
    ['suffix trick', '</think><answer>not the bin</answer>', [3, 0.1, -0.5, 0, 1]],
    ['all places, the gold one last', '</think><answer>jar chest bin</answer>', [3, 0.1, -0.5, 0, 1]],
    ['full-width tags', '＜/think＞＜answer＞bin＜/answer＞', [-3, 0, -3, 0, -1]],
    ['Cyrillic i in the answer', '</think><answer>bіn</answer>', [-1, 0.1, -0.5, 0, 1]],
    ['zero-width space in the answer', '</think><answer>b\u200bin</answer>', [-1, 0.1, -0.5, 0, 1]],
    ['tags in capitals', '</THINK><ANSWER>bin</ANSWER>', [-3, 0, -3, 0, -1]],
    ['tags with spaces', '< /think>< answer>bin</ answer>', [-3, 0, -3, 0, -1]],
  ];

  it.each(table)('%s', (_, completion, totals) => {
    expect(totalsOf(completion)).toEqual(totals);
  });

  it('reach both bounds of their preset', () => {
    const complete = `${item.traces!.full!.split(' </think>')[0]}</think><answer>bin</answer>`;
    const totals = [...table.map(([, , row]) => row), totalsOf(complete)];
    for (const [column, preset] of presets.entries()) {
      const all = totals.map((row) => row[column]);
      expect([Math.min(...all), Math.max(...all)]).toEqual(bounds[preset]);
    }
  });

  it('treat an underscore in the gold answer as a space, never reward an empty one, and have no trace without a world', () => {
    const judged = (answer: string, gold = 'red_box') =>
      score(`</think><answer>${answer}</answer>`, { ...box, answer: gold }, { preset: 'tom-rl' });
    expect(judged('Red box!')).toMatchObject({ total: 3, correct: true, trace: null });
    expect(judged('the red_box')).toMatchObject({ total: 3, correct: false });
    expect(judged('...', '')).toMatchObject({ total: -1, correct: false });
  });
});

describe('swap traces checked against the world', () => {
  const gold = 'start box ; ann jar ; none ; gus jar ; gus bin ; none ; so bin';
  const check = (think: string): [string, number, number] => {
    const { statements, validity, coverage } = checkTrace(think, item)!;
    return [statements.map(({ verdict }) => verdict).join(' '), validity, coverage];
  };

  it('are false only in the changed statement', () => {
    expect(item.traces!.full).toBe(`${gold} </think> <answer> bin </answer>`);
    const clauses = gold.split(' ; ');
    const changes = [
      ['start jar', 'ann box', 'none'],
      ['gus jar', 'ann box', 'none'],
      ['ann jar', 'none tin'],
      ['ann jar', 'gus box', 'none'],
      ['cat bin', 'gus jar'],
      ['eve bag'],
      ['so jar'],
    ];
    for (const [index, clause] of changes.flatMap((all, at) => all.map((one) => [at, one] as const))) {
      const verdicts = clauses.map((_, place) => (place === index ? 'false' : 'true')).join(' ');
      // A conclusion covers no event.
      const coverage = index === 6 ? 1 : 5 / 6;
      expect(check(clauses.with(index, clause).join(' ; ')), clause).toEqual([verdicts, 6 / 7, coverage]);
    }
  });

  const all = `${'true '.repeat(7)}unread unread`;
  it.each([
    // Missing clauses also make the following clauses false.
    ['start box ; ann jar ; so bin', 'true true true', 1, 2 / 6],
    ['start box ; none ; gus jar ; so bin', 'true false false true', 2 / 4, 1 / 6],
    ['so bin', 'true', 1, 0],
    ['', '', 0, 0],
    [' ; ; ', '', 0, 0],
    // Clauses beyond the last event, repetition or other text gain nothing.
    [`${gold} ; none ; eve tin`, all, 1, 1],
    [`${gold} ; so bin ; so jar`, all, 1, 1],
    ['start box ; start box ; gus jar', 'true false false', 1 / 3, 1 / 6],
    ['ann ; ann jar box ; start box', 'unread unread true', 1, 1 / 6],
  ])('%s: %s', (think, ...found) => {
    expect(check(think)).toEqual(found);
  });

  it('count only for the preset faithful', () => {
    const totals = (think: string, answer = 'bin'): number[] =>
      totalsOf(`${think} </think> <answer> ${answer} </answer>`);
    expect(totals(gold)).toEqual([3, 1.1, 3, 1, 4]);
    expect(totals('')).toEqual([3, 1.1, 3, 1, 1]);
    expect(totals(gold, 'jar')).toEqual([-1, 0.1, -0.5, 0, 3]);
    // Two of three statements are true, and one of six facts is covered.
    expect(totals('start box ; ann box ; so bin')[columns.faithful]).toBeCloseTo(1 + 3 / 9 - 1 / 6, 12);
    expect(totals('start jar ; gus bin ; so bag')[columns.faithful]).toBe(0.5);
  });
});
