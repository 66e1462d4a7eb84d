import { describe, expect, it } from 'vitest';
import { generatorNames } from '../../src/tom/worlds/generate';
import { isEasy, type Item } from '../../src/tom/item';
import { presets } from '../../src/run/config/presets';
import { itemWorld, possibleAnswers } from '../../src/tom/worlds/item-world';
import { thingAsked } from '../../src/tom/text/read-question';
import { readStory } from '../../src/tom/text/read-story';
import { solve } from '../../src/tom/beliefs/solve';
import { asking, type Property, type WitnessedAction } from '../../src/tom/beliefs/world';
import { refusal } from '../model/refusal';
import { itemsOf as make, plainItem } from './items';
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
  rooms: { answer: openAnswer, seed: 22 },
  exploretom: { answer: closedAnswer, seed: 3 },
  'exploretom-infilled': { answer: closedAnswer, seed: 4 },
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
      expect(item.story).not.toContain('undefined');
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

  it.each<[source: string, code: string, changes: Parameters<typeof make>[3][]]>([
    ['swap', 'bad-spec', [{ rho: -0.1 }, { rho: 1.1 }, { rho: Number.NaN }]],
    ['swap', 'bad-spec', [{ events: 2 }, { events: 13 }, { events: 6.5 }]],
    ['rooms', 'bad-spec', [{ rho: 1.1 }, { people: 1 }, { people: 6 }, { containers: 2 }, { containers: 7 }]],
    ['rooms', 'bad-spec', [{ moves: 1 }, { moves: 9 }, { moves: 2.5 }]],
    ['tomi', 'bad-spec', [{ count: -1 }, { count: 0.5 }, { dropShortcutRight: Number.NaN }, { seed: -1 }]],
    ['tomi', 'bad-orders', [{ orders: [3] }, { orders: [] }]],
    ['swap', 'shortcut-always-right', [{ orders: [4], rho: 1, dropShortcutRight: 1 }]],
    ['swap', 'unknown-source', [{ source: 'toString' }]],
  ])('refuse settings of %s by the name %s: %j', (source, code, changes) => {
    for (const change of changes) expect(() => make(source, 1, 1, change)).toThrow(refusal(`tom/${code}`));
  });

  it('make thousands of Hi-ToM stories without a repetition', () => {
    const items = make('hitom', sampled(2000, 8000), 8);
    expect(new Set(items.map((item) => item.storyId)).size).toBe(items.length);
  });

  it('mix 2,000 Hi-ToM items with 1,200 of ExploreToM, as ToM-RL does, also in orders that ExploreToM lacks', () => {
    const { data, seed } = presets['tom-rl'];
    const counts = (total: number, orders: number[]): number[] => {
      const items = make(data.source, total, seed, { orders });
      return ['hitom', 'exploretom'].map((name) => items.filter(({ dataset }) => dataset === name).length);
    };
    expect(counts(data.trainItems!, data.orders)).toEqual([2000, 1200]);
    expect(counts(50, [3, 4])).toEqual([50, 0]);
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
    for (const { shortcut } of make(name, 100, 19, { orders: [0] })) expect(shortcut).toBeUndefined();
  });

  it('exists for every belief about a place, also if nobody in the question leaves', () => {
    for (const { shortcut } of make('tomi', 100, 19, { orders: [1, 2] })) expect(shortcut).toBeDefined();
  });

  it.each(names)('answers no item of %s when dropShortcutRight is 1', (source) => {
    const orders = ordersOf(source).filter((order) => order === 1 || order === 2);
    expect(shortcutRate(make(source, 300, 20, { orders, dropShortcutRight: 1 }))).toBe(0);
  });
});

describe('the number of possible answers of an item', () => {
  it('counts containers that are announced, moved to or told of, and no rooms or places of other things', () => {
    const told = { act: 'tell', who: 'Ann', to: null, thing: 'pear' } as const;
    const actions: WitnessedAction[] = [
      { act: 'announce', thing: 'pear', place: 'box' },
      { act: 'announce', thing: 'plum', place: 'tin' },
      { act: 'move', who: 'Ann', thing: 'pear', place: 'jar' },
      { ...told, property: 'place', value: 'bag' },
      { ...told, property: 'place', value: 'can' },
      { ...told, property: 'room', value: 'attic' },
      { act: 'carry', who: 'Ann', thing: 'pear', room: 'hall' },
    ];
    const count = (property: Property): number | null => {
      const world = { rules: 'open', actions, question: asking([], 'pear', property) };
      return possibleAnswers(plainItem({ dataset: 'hitom', world }));
    };
    expect([count('place'), count('room')]).toEqual([4, null]);
  });

  it('counts the offered answers or the places of a swap story’s room, and is unknown otherwise', () => {
    const [item] = make('swap', 1);
    const bare = { ...item, world: undefined };
    const items: Item[] = [item, bare, { ...bare, choices: ['a', 'b', 'c'] }, { ...bare, scoring: { rule: 'binary' } }]; // prettier-ignore
    expect(items.map(possibleAnswers)).toEqual([5, null, 3, 2]);
  });
});
