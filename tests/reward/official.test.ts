import { describe, expect, it } from 'vitest';
import { isRight, namesRight, readBinary, score } from '../../src/reward/score';
import { wilson, measuredAccuracy } from '../../src/reward/accuracy';
import { suiteRows, type SuiteAnswer } from '../../src/reward/suites';
import { itemsOf, plainItem } from '../tom/items';
import type { Item, Scoring } from '../../src/tom/item';

const item = (answer: string, scoring?: Scoring): Item => plainItem({ answer, ...(scoring && { scoring }) });

describe("FANToM's rules", () => {
  it('accept a list if every right name occurs and no wrong one', () => {
    const right = ['Ann', 'Bob'];
    const table = ['Ann and Bob', 'bob, ANN', 'Ann', 'Ann, Bob and Cyd', 'Cyd', ''];
    const accepted = table.filter((said) => namesRight(said, right, ['Cyd']));
    expect(accepted).toEqual(['Ann and Bob', 'bob, ANN']);
    const list = item('Ann, Bob', { rule: 'names', right, wrong: ['Cyd'] });
    expect(['Bob and Ann', 'Ann'].map((said) => isRight(said, list))).toEqual([true, false]);
    expect([namesRight('nobody', [], ['Cyd']), namesRight('', [], ['Cyd'])]).toEqual([true, false]);
  });

  it('read yes, no, knows and does not know only', () => {
    expect(['Yes.', 'Ann knows it'].map(readBinary)).toEqual(['yes', 'yes']);
    expect(['no', 'Ann does not know', "she doesn't know"].map(readBinary)).toEqual(['no', 'no', 'no']);
    for (const said of ['maybe', 'yes and no', 'I know not', 'nothing']) expect(readBinary(said)).toBeNull();
    expect(isRight('No, she was away', item('no', { rule: 'binary' }))).toBe(true);
  });
});

describe('strict correctness', () => {
  it('compares the last number of an answer', () => {
    const gold = item('1007', { rule: 'number' });
    expect(['It is 1,007.', '1007 or 8', 'none'].map((said) => isRight(said, gold))).toEqual([true, false, false]); // prettier-ignore
    expect(isRight('none', item('none', { rule: 'number' }))).toBe(false);
  });

  it('keeps decimal points and signs of numbers in text answers', () => {
    const right = (said: string, gold: string): boolean => isRight(said, item(gold));
    expect([right('.5', '.5'), right('5', '.5'), right('15', '1.5'), right('\u22125', '-5')]).toEqual([true, false, false, true]); // prettier-ignore
    expect([right('5', '-5'), right('1,000.', '1000'), right('the box.', 'The Box')]).toEqual([false, true, true]); // prettier-ignore
  });
});

it.each([
  ['', { minimumThinkWords: 4 }, 0],
  ['a b', { minimumThinkWords: 4 }, 0.5],
  ['a b c d e', { minimumThinkWords: 4 }, 1],
  ['a b c d', { targetThinkWords: 4 }, 1],
  ['a b', { targetThinkWords: 4 }, 0.5],
  ['a '.repeat(99), { targetThinkWords: 4 }, 0],
])('the reasoning “%s” with %j has a reward of %d', (think, lengths, total) => {
  const preset = { preset: 'answer-only', ...lengths } as const;
  expect(score(`${think}</think><answer>x</answer>`, item('x'), preset).total).toBe(total);
  // Unclosed reasoning counts too.
  expect(score(think, item('x'), preset).total).toBe(total - 1);
});

describe('evaluation suites', () => {
  it('have a row for each task and part, with interval, shortcut line and conflict', () => {
    const made = itemsOf('hitom', 300, 1, { orders: [1, 2, 3] });
    const answers: SuiteAnswer[] = made.map((one) => ({ item: one, answer: one.shortcut! }));
    const rows = suiteRows(answers, ({ order }) => order < 3);
    expect(rows.map(({ part }) => part).join()).toBe(
      'all,length-1,length-2,length-3,order 1,order 2,order 3,told,untold',
    );
    for (const { accuracy, shortcutLine, shortcutConflict, inDistribution, part } of rows) {
      expect(measuredAccuracy(accuracy)).toBeCloseTo(shortcutLine!, 12);
      expect(accuracy.low).toBeLessThan(measuredAccuracy(accuracy)!);
      expect(measuredAccuracy(shortcutConflict)).toBe(0);
      expect(inDistribution).toBe(part === 'order 1' || part === 'order 2');
    }
  });

  it('have no shortcut line for questions about reality, and exclude these from the line of all', () => {
    const made = [0, 1].flatMap((order) => itemsOf('hitom', 100, 2, { orders: [order] }));
    const rows = suiteRows(
      made.map((one) => ({ item: one, answer: one.answer })),
      () => true,
    );
    const row = (part: string) => rows.find((each) => each.part === part)!;
    expect(row('order 0')).toMatchObject({ shortcutLine: null, shortcutConflict: null });
    expect(row('all').shortcutLine).toBe(row('order 1').shortcutLine);
    expect(row('all').accuracy.count).toBe(200);
  });

  const list: Scoring = { rule: 'names', right: [], wrong: [] };
  it.each<[dataset: string, Partial<Item>, parts: string]>([
    ['swap', { kind: 'plain' }, 'all,order 1'],
    ['swap', { kind: 're-entry' }, 'all,re-entry'],
    ['rooms', { kind: 'easy' }, 'all,easy,order 1'],
    ['rooms', { kind: 'other world' }, 'all,other world'],
    ['who-knows', { kind: 'list', scoring: list }, 'all,list'],
    ['who-knows', {}, 'all,binary'],
    ['gsm8k', { kind: 'x' }, 'all'],
    ['of the user', { kind: 'x' }, 'all,order 1'],
  ])('divide %s with %j into %s', (dataset, change, parts) => {
    const rows = suiteRows([{ item: plainItem({ dataset, ...change }), answer: null }], () => false);
    expect(rows.map(({ part }) => part).join()).toBe(parts);
  });

  it('give Wilson intervals', () => {
    // The textbook example, 8 of 10: .490 to .943.
    expect(wilson(8, 10).low).toBeCloseTo(0.4902, 4);
    expect(wilson(8, 10).high).toBeCloseTo(0.9433, 4);
    expect(wilson(20, 20).low).toBeLessThan(0.9);
    expect(wilson(0, 0)).toMatchObject({ low: 0, high: 1 });
    expect([null, wilson(0, 0), wilson(1, 2)].map(measuredAccuracy)).toEqual([null, null, 0.5]);
  });
});
