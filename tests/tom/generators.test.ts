import { describe, expect, it } from 'vitest';
import { counterfactualTwin, generateDataset, generatorNames } from '../../src/tom/generate';
import type { DataSpec, Item } from '../../src/tom/item';
import { solve } from '../../src/tom/solve';
import { closedAnswer, openAnswer } from './story-reader';
import { sampled } from '../fixtures/sample';

const make = (source: string, count: number, seed: number, change: Partial<DataSpec> = {}): Item[] => {
  const { orders } = generatorNames().find(({ name }) => name === source)!;
  return generateDataset({
    source,
    orders: [...orders],
    dropShortcutRight: 0,
    reentry: false,
    count,
    seed,
    ...change,
  });
};
const disagreeing = (
  items: Item[],
  answer: (story: string, question: string) => string | undefined,
): string[] => {
  return items
    .filter((item) => answer(item.story, item.question) !== item.answer)
    .map((item) => `${item.story}\n${item.question} ${item.answer}`);
};
const shortcutRate = (items: Item[]): number => {
  return items.filter((item) => item.shortcuts['first-leaver'] === item.answer).length / items.length;
};

const COUNT = sampled(2500, 10_000);

describe('labels re-derived from the text by a slow independent reader', () => {
  it(`are those of ${COUNT} Hi-ToM stories`, () => {
    expect(disagreeing(make('hitom', COUNT, 1), openAnswer).slice(0, 1)).toEqual([]);
  });

  it(`are those of ${COUNT} ToMi-like stories`, () => {
    expect(disagreeing(make('tomi', COUNT, 2), openAnswer).slice(0, 1)).toEqual([]);
  });

  it(`are those of ${COUNT} Sally-Anne stories`, () => {
    expect(disagreeing(make('sally', COUNT, 21), openAnswer).slice(0, 1)).toEqual([]);
  });

  it(`are those of ${COUNT} ExploreToM-like stories`, () => {
    expect(disagreeing(make('exploretom', COUNT, 3), closedAnswer).slice(0, 1)).toEqual([]);
  });

  it(`are those of ${COUNT} infilled ExploreToM-like stories`, () => {
    expect(disagreeing(make('exploretom-infilled', COUNT, 4), closedAnswer).slice(0, 1)).toEqual([]);
  });

  it(`are those of ${COUNT} questions after knowledge`, () => {
    expect(disagreeing(make('exploretom-knowledge', COUNT, 5), closedAnswer).slice(0, 1)).toEqual([]);
  });
});

describe('the generators', () => {
  it.each(['hitom', 'tomi', 'sally', 'exploretom', 'exploretom-knowledge', 'hitom-exploretom'])(
    'write %s stories that solve() reads as they are meant',
    (source) => {
      expect(
        disagreeing(make(source, 1500, 6), (story, question) => solve(story, question).answer).slice(0, 1),
      ).toEqual([]);
    },
  );

  it.each(generatorNames())('make item i of $name the same whatever else is asked for', ({ name }) => {
    expect(make(name, 20, 7, {}).slice(5, 15)).toEqual(generateDatasetFrom(name, 5, 10));
  });

  it('make 8,000 Hi-ToM stories without a repetition', () => {
    const items = make('hitom', 8000, 8);
    expect(new Set(items.map((item) => item.storyId)).size).toBe(8000);
    expect(new Set(items.map((item) => item.kind))).toEqual(
      new Set([
        'length-1 told',
        'length-2 told',
        'length-3 told',
        'length-1 untold',
        'length-2 untold',
        'length-3 untold',
      ]),
    );
  });

  it('answer yes and no equally often when asked after knowledge', () => {
    const yes = make('exploretom-knowledge', 4000, 9).filter(
      ({ answer }) => answer === 'yes' || answer === 'knows about it',
    );
    expect(Math.abs(yes.length - 2000)).toBeLessThan(130);
  });

  it('all have twins, whose text solves to their changed answer', () => {
    const twins = ['hitom', 'tomi', 'exploretom'].flatMap((source) =>
      make(source, 300, 10).map((item) => [item, counterfactualTwin(item)]),
    );
    for (const [item, twin] of twins) {
      expect(twin.question).toBe(item.question);
      expect(twin.answer).not.toBe(item.answer);
      expect(solve(twin.story, twin.question).answer).toBe(twin.answer);
    }
  });

  it('about knowledge have twins as well, also where somebody was told twice', () => {
    const items = generateDataset({
      ...{ source: 'exploretom-knowledge', orders: [1, 2], dropShortcutRight: 0, reentry: false },
      ...{ count: 2000, seed: 3 },
    });
    for (const item of items) {
      const twin = counterfactualTwin(item);
      expect(twin.question).toBe(item.question);
      expect(twin.answer).not.toBe(item.answer);
    }
  });
});

describe('a story that is read from a file', () => {
  it('has no twin, for no world stands behind it', () => {
    const [item] = make('hitom', 1, 1);
    expect(() => counterfactualTwin({ ...item, world: undefined })).toThrow(
      expect.objectContaining({ code: 'tom/no-twin' }),
    );
  });
});

describe('the shortcut that tracks no belief', () => {
  it('answers Hi-ToM stories of ours as it answers the original: order 4 almost always, 1 least', () => {
    const rates = [1, 2, 3, 4].map((order) =>
      shortcutRate(make('hitom', 3000, 11 + order, { orders: [order] })),
    );
    expect(rates[0]).toBeLessThan(rates[1]);
    expect(rates[1]).toBeLessThan(rates[2]);
    expect(rates[3]).toBeGreaterThan(0.96);
    const mean = rates.reduce((sum, rate) => sum + rate, 0) / 4;
    // The original's 89.3 % are of all five orders; where the object is at the end answers all of order 0.
    expect(Math.abs(mean - (5 * 0.893 - 1) / 4)).toBeLessThan(0.03);
  });

  it.each(['nano', 'swap', 'hitom', 'tomi', 'sally', 'exploretom'])(
    'is none for questions of %s after reality',
    (source) => {
      const items = make(source, 100, 19, { orders: [0] });
      expect(items.map(({ shortcuts }) => shortcuts)).toEqual(items.map(() => ({})));
    },
  );

  it.each(['hitom', 'tomi', 'exploretom', 'exploretom-infilled'])(
    'answers nothing of %s when the dial drops all it gets right',
    (source) => {
      expect(shortcutRate(make(source, 300, 20, { orders: [1, 2], dropShortcutRight: 1 }))).toBe(0);
    },
  );
});

function generateDatasetFrom(source: string, offset: number, count: number): Item[] {
  const { orders } = generatorNames().find(({ name }) => name === source)!;
  return generateDataset({
    source,
    orders: [...orders],
    dropShortcutRight: 0,
    reentry: false,
    count,
    seed: 7,
    offset,
  });
}
