import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { generatorNames } from '../../src/tom/worlds/generate';
import { isEasy, type Item } from '../../src/tom/item';
import { itemWorld, possibleAnswers } from '../../src/tom/worlds/item-world';
import { thingAsked } from '../../src/tom/text/read-question';
import { readStory } from '../../src/tom/text/read-story';
import { solve } from '../../src/tom/beliefs/solve';
import { asking, type Property, type WitnessedAction } from '../../src/tom/beliefs/world';
import { refusal } from '../model/refusal';
import { itemsOf as make, plainItem } from './items';
import { inPlainWords } from './infilled';
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

/** Further settings of a world. */
const dials: Record<string, object[]> = {
  swap: [
    { events: 3, rho: 1 },
    { events: 12, rho: 0 },
  ],
  rooms: [
    { people: 2, containers: 3, moves: 8 },
    { people: 5, containers: 6, moves: 2, rho: 0.2 },
  ],
};

it('a link keeps its stories: every generator writes those of earlier versions', () => {
  const hashes = generatorNames().map(({ name }) => {
    const settings = [{}, { dropShortcutRight: 0.5, reentry: true }, ...(dials[name] ?? [])];
    const items = settings.map((changes) => make(name, 100, 7, changes));
    return [name, createHash('sha256').update(JSON.stringify(items)).digest('hex').slice(0, 16)];
  });
  expect(Object.fromEntries(hashes)).toEqual({
    exploretom: 'e719a2eda3094414',
    'exploretom-infilled': '54c15b191d8afe2b',
    'exploretom-who-knows': '8209fee80470e9a6',
    hitom: '416b4a51e2c0ff4a',
    'hitom-exploretom': 'b6c1b28d92f64123',
    'hitom-exploretom-who-knows': 'fe06d19a144bca22',
    'hitom-short': '3d3d2f5a96f4f265',
    'hitom-short-factual': '54e561ed9c140188',
    'hitom-who-knows': '4cd171d215f20917',
    rooms: '8d143ae13e410b99',
    swap: '92a3e08cb16c00c3',
    tomi: '35b0d49b8b64b411',
    'who-knows': '94dbd4e662200041',
  });
});

describe('the generators', () => {
  // `solve` agrees with published data sets (solve.test.ts).
  it.each(stories)('write %s stories that solve() reads correctly, each sentence as its action', (source) => {
    const items = make(source, sampled(200, 1500), 6).map((item) =>
      source === 'exploretom-infilled' ? { ...item, story: inPlainWords(item.story) } : item,
    );
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
});

it.each(names)(
  'the shortcut that tracks no belief answers no item of %s when dropShortcutRight is 1',
  (source) => {
    const orders = ordersOf(source).filter((order) => order === 1 || order === 2);
    expect(shortcutRate(make(source, 300, 20, { orders, dropShortcutRight: 1 }))).toBe(0);
  },
);

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
