import { describe, expect, it } from 'vitest';
import { generatorNames } from '../../src/tom/worlds/generate';
import { isEasy, type Item } from '../../src/tom/item';
import { presets } from '../../src/run/config/presets';
import { itemWorld, possibleAnswers } from '../../src/tom/worlds/item-world';
import { thingAsked } from '../../src/tom/text/read-question';
import { readStory } from '../../src/tom/text/read-story';
import { solve } from '../../src/tom/beliefs/solve';
import { refusal } from '../model/refusal';
import { itemsOf as make } from './items';
import { closedAnswer, conversationAnswer, openAnswer } from './story-reader';
import { sampled } from '../fixtures/sample';

const disagreeing = (
  items: Item[],
  answer: (story: string, question: string) => string | undefined,
): string[] => {
  return items
    .filter((item) => answer(item.story, item.question) !== item.answer)
    .map((item) => `${item.story}\n${item.question} ${item.answer}`);
};
const shortcutRate = (items: Item[]): number => items.filter(isEasy).length / items.length;

const ordersOf = (source: string): readonly number[] =>
  generatorNames().find(({ name }) => name === source)!.orders;

const names = generatorNames().map(({ name }) => name);
/** Swap stories have their own vocabulary and rules; `swap.test.ts` tests them. */
const stories = names.filter((name) => name !== 'swap');
/** `solve` cannot read the infilled telling. */
const solved = stories.filter((name) => name !== 'exploretom-infilled');

const COUNT = sampled(200, 10_000);

/** For each data set with generated stories: an independent reader of its text, and the seed of the stories. */
const readers: Record<string, { answer: typeof openAnswer; seed: number }> = {
  hitom: { answer: openAnswer, seed: 1 },
  tomi: { answer: openAnswer, seed: 2 },
  sally: { answer: openAnswer, seed: 21 },
  rooms: { answer: openAnswer, seed: 22 },
  exploretom: { answer: closedAnswer, seed: 3 },
  'exploretom-infilled': { answer: closedAnswer, seed: 4 },
  'exploretom-knowledge': { answer: closedAnswer, seed: 5 },
  'who-knows': { answer: conversationAnswer, seed: 23 },
};

const datasets = new Set(generatorNames().flatMap((generator) => generator.datasets));
it.each([...datasets].filter((name) => name !== 'swap'))(
  `have the labels that a slow independent reader derives from the text of ${COUNT} %s stories`,
  (dataset) => {
    expect(Object.keys(readers)).toContain(dataset);
    const { answer, seed } = readers[dataset];
    expect(disagreeing(make(dataset, COUNT, seed), answer).slice(0, 1)).toEqual([]);
  },
);

describe('the generators', () => {
  it.each(solved)('write %s stories that solve() reads correctly, each sentence as its action', (source) => {
    const items = make(source, sampled(200, 1500), 6);
    expect(disagreeing(items, (story, question) => solve(story, question).answer).slice(0, 1)).toEqual([]);
    for (const item of items) {
      const behind = itemWorld(item);
      if (behind?.kind !== 'story') throw new Error(`${source} has no actions`);
      const acts = (actions: readonly { act: string }[]): string[] => actions.map(({ act }) => act);
      expect(acts(readStory(item.story, thingAsked(item.question)).actions)).toEqual(
        acts(behind.world.actions),
      );
    }
  });

  it.each(generatorNames())('make item i of $name independent of the other items', ({ name }) => {
    const change = { dropShortcutRight: 0.5, reentry: true };
    expect(make(name, 20, 7, change).slice(5, 15)).toEqual(make(name, 10, 7, { ...change, offset: 5 }));
    expect(make(name, 10, 8)).not.toEqual(make(name, 10, 7));
  });

  it.each([
    ['swap', 'rho', [-0.1, 1.1, Number.NaN]],
    ['swap', 'events', [2, 13, 6.5]],
    ['rooms', 'rho', [-0.1, 1.1]],
    ['rooms', 'people', [1, 6]],
    ['rooms', 'containers', [2, 7]],
    ['rooms', 'moves', [1, 9, 2.5]],
  ])('refuse %s stories with %s of %j by name', (source, dial, values) => {
    for (const value of values)
      expect(() => make(source, 1, 1, { [dial]: value })).toThrow(
        refusal('tom/bad-spec', `${dial} ${value}`),
      );
  });

  it('make thousands of Hi-ToM stories without a repetition', () => {
    const items = make('hitom', sampled(2000, 8000), 8);
    expect(new Set(items.map((item) => item.storyId)).size).toBe(items.length);
    const kinds = [1, 2, 3].flatMap((length) => [`length-${length} told`, `length-${length} untold`]);
    expect(new Set(items.map((item) => item.kind))).toEqual(new Set(kinds));
  });

  it('mix 2,000 Hi-ToM items of orders 0 to 3, evenly, with 1,200 of ExploreToM, as ToM-RL does', () => {
    const { data, seed } = presets['tom-rl'];
    const items = make(data.source, data.trainItems!, seed, { orders: data.orders });
    const counts = (dataset: string): number[] =>
      [0, 1, 2, 3].map(
        (order) => items.filter((item) => item.dataset === dataset && item.order === order).length,
      );
    const [hitom, exploretom] = [counts('hitom'), counts('exploretom')];
    const sum = (values: number[]): number => values.reduce((all, value) => all + value, 0);
    expect([sum(hitom), sum(exploretom)]).toEqual([2000, 1200]);
    // Four standard deviations of a seeded draw of 2,000 or 1,200 items.
    for (const count of hitom) expect(Math.abs(count - 500)).toBeLessThan(78);
    for (const count of exploretom.slice(0, 3)) expect(Math.abs(count - 400)).toBeLessThan(66);
    // The second data set has no such orders, so all items come from the first.
    expect(new Set(make(data.source, 50, 1, { orders: [3, 4] }).map(({ dataset }) => dataset))).toEqual(
      new Set(['hitom']),
    );
  });

  it('answer knowledge questions equally often with yes and no', () => {
    const yes = make('exploretom-knowledge', 1000, 9).filter(
      ({ answer }) => answer === 'yes' || answer === 'knows about it',
    );
    expect(Math.abs(yes.length - 500)).toBeLessThan(65);
  });
});

describe('the shortcut that tracks no belief', () => {
  it('answers generated Hi-ToM stories as it answers the original: order 4 most often, order 1 least', () => {
    const rates = [1, 2, 3, 4].map((order) =>
      shortcutRate(make('hitom', sampled(1000, 3000), 11 + order, { orders: [order] })),
    );
    expect(rates[0]).toBeLessThan(rates[1]);
    expect(rates[1]).toBeLessThan(rates[2]);
    expect(rates[3]).toBeGreaterThan(0.96);
    const mean = rates.reduce((sum, rate) => sum + rate, 0) / 4;
    // The original's 89.3 % covers all five orders; the object's final place answers all of order 0.
    expect(Math.abs(mean - (5 * 0.893 - 1) / 4)).toBeLessThan(0.03);
  });

  const afterReality = generatorNames().filter(({ orders }) => orders.includes(0));
  it.each(afterReality)('does not exist for reality questions of $name', ({ name }) => {
    const items = make(name, 100, 19, { orders: [0] });
    expect(items.map(({ shortcuts }) => shortcuts)).toEqual(items.map(() => ({})));
  });

  it.each(names)('answers no item of %s when dropShortcutRight is 1', (source) => {
    const orders = ordersOf(source).filter((order) => order === 1 || order === 2);
    expect(shortcutRate(make(source, 300, 20, { orders, dropShortcutRight: 1 }))).toBe(0);
  });
});

const draw = (source: string) => make(source, 20, 3, { orders: [1, 2] });

describe('the number of possible answers of an item', () => {
  it('counts the places of a swap story’s room', () => {
    expect(new Set(draw('swap').map(possibleAnswers))).toEqual(new Set([5]));
  });

  it('counts the places that a story names for the thing, including the right one and the shortcut’s', () => {
    const items = draw('hitom');
    const counts = items.map((item) => possibleAnswers(item)!);
    expect(Math.max(...counts)).toBeGreaterThan(2);
    items.forEach(({ answer, shortcuts }, index) => {
      expect(counts[index]).toBeGreaterThanOrEqual(new Set([answer, ...Object.values(shortcuts)]).size);
    });
  });

  it('counts the offered answers if there are any, and is unknown otherwise', () => {
    const bare = { ...draw('swap')[0], world: undefined };
    expect(possibleAnswers(bare)).toBe(null);
    expect(possibleAnswers({ ...bare, choices: ['a', 'b', 'c'] })).toBe(3);
    expect(possibleAnswers({ ...bare, scoring: { rule: 'binary' } })).toBe(2);
    expect(possibleAnswers({ ...bare, scoring: { rule: 'classes', classes: ['x', 'y', 'z', 'w'] } })).toBe(4);
    expect(possibleAnswers({ ...bare, scoring: { rule: 'classes', classes: ['x'] } })).toBe(null);
  });
});
