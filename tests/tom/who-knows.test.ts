import { describe, expect, it } from 'vitest';
import { PEOPLE } from '../../src/tom/worlds/words';
import { score } from '../../src/reward/score';
import type { Item } from '../../src/tom/item';
import { sampled } from '../fixtures/sample';
import { itemsOf } from './items';

const items = itemsOf('who-knows', sampled(1000, 8000), 31);
const [binary, lists] = [0, 1].map((part) => items.filter((_, index) => index % 2 === part));
const total = (answer: string, item: Item): number =>
  score(`</think> <answer> ${answer} </answer>`, item, { preset: 'rlvr-tom' }).total;

describe('the pair of questions about one story', () => {
  it('asks after one topic, first by yes or no and then for a list', () => {
    binary.forEach((one, index) => {
      expect(lists[index].storyId).toBe(one.storyId);
      const topic = /about (the .+)\?/.exec(one.question)![1];
      expect(lists[index].question).toBe(`Who knows about ${topic}? List the names.`);
      const asked = /^Does (\S+) know/.exec(one.question)![1];
      expect(one.answer).toBe(lists[index].answer.split(', ').includes(asked) ? 'yes' : 'no');
      expect([one.order, lists[index].order]).toEqual([1, 1]);
    });
    expect(new Set(binary.map(({ storyId }) => storyId)).size).toBe(binary.length);
  });

  it('stays together from any offset and in every mix', () => {
    for (const source of ['who-knows', 'hitom-who-knows', 'hitom-exploretom-who-knows']) {
      const pairs = itemsOf(source, 24, 5, { orders: [1], offset: 2 ** 31 }).filter(
        ({ dataset }) => dataset === 'who-knows',
      );
      expect(pairs.map(({ kind }) => kind)).toEqual(pairs.map((_, index) => ['binary', 'list'][index % 2]));
      pairs.forEach(({ storyId }, index) => expect(storyId).toBe(pairs[index - (index % 2)].storyId));
    }
  });

  it('is answered by yes half the time, for each name, and never by all names or by none', () => {
    const distance = (of: readonly Item[]): number =>
      Math.abs(of.filter(({ answer }) => answer === 'yes').length / of.length - 0.5);
    expect(distance(binary)).toBeLessThan(2 / Math.sqrt(binary.length));
    for (const name of PEOPLE) {
      const asked = binary.filter(({ question }) => question.includes(`Does ${name} `));
      expect(distance(asked), name).toBeLessThan(4 * 0.5 * Math.sqrt(PEOPLE.length / binary.length));
    }
    for (const { answer, scoring } of lists) {
      if (scoring?.rule !== 'names') throw new Error('a list is scored by its names');
      expect(scoring.right.join(', ')).toBe(answer);
      expect(scoring.right.length).toBeGreaterThan(0);
      expect(scoring.wrong.length).toBeGreaterThan(0);
    }
  });

  it('is scored by rule: names in any order, and one name too many or too few is wrong', () => {
    const list = lists.find(({ answer }) => answer.split(', ').length === 2)!;
    const [first, second] = list.answer.split(', ');
    if (list.scoring?.rule !== 'names') throw new Error('a list is scored by its names');
    expect(total(`${second} and ${first}`, list)).toBeCloseTo(1.1);
    for (const wrong of [first, `${first}, ${second}, ${list.scoring.wrong[0]}`, 'nobody', 'yes'])
      expect(total(wrong, list)).toBeCloseTo(0.1);
    const [yes, no] = ['yes', 'no'].map((answer) => binary.find((item) => item.answer === answer)!);
    expect(total('Yes', yes)).toBeCloseTo(1.1);
    for (const wrong of ['no', 'yes no']) expect(total(wrong, yes)).toBeLessThan(1);
    expect(total('no', no)).toBeCloseTo(1.1);
  });

  it('has no name within another, which would count as said', () => {
    for (const name of PEOPLE)
      expect(PEOPLE.filter((other) => other.toLowerCase().includes(name.toLowerCase()))).toEqual([name]);
  });
});

it('the factual mix asks after reality in three of ten items, where it is asked for both', () => {
  const mixed = (orders: number[]): number[] =>
    itemsOf('hitom-short-factual', 50, 3, { orders }).map(({ order }) => order);
  mixed([0, 1, 2, 3]).forEach((order, index) => expect(order === 0).toBe([1, 4, 8].includes(index % 10)));
  expect(new Set(mixed([1, 2]))).toEqual(new Set([1, 2]));
  expect(new Set(mixed([0]))).toEqual(new Set([0]));
});
