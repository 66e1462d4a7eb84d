import { describe, expect, it } from 'vitest';
import { isEasy, type Item } from '../../src/tom/item';
import { itemWorld } from '../../src/tom/worlds/item-world';
import { roomsDefaults } from '../../src/tom/worlds/orders';
import type { World } from '../../src/tom/beliefs/world';
import { itemsOf } from './items';
import { sampled } from '../fixtures/sample';

type Changes = NonNullable<Parameters<typeof itemsOf>[3]>;
const make = (count: number, seed: number, changes: Changes = {}): Item[] =>
  itemsOf('rooms', count, seed, changes);

const worldOf = (item: Item): World => itemWorld(item)!.world as World;

describe('a rooms story', () => {
  it.each([
    {},
    { people: 2, containers: 3, moves: 2 },
    { people: 5, containers: 6, moves: 8 },
    { people: 2, containers: 3, moves: 8 },
  ])('has the people, containers and moves of %o', (dials) => {
    const { people, containers, moves } = { ...roomsDefaults, ...dials };
    const places = new Set<string>();
    for (const item of make(sampled(200, 1000), 4, { ...dials, rho: 0.5 })) {
      const { actions } = worldOf(item);
      const present = new Set(actions[0].act === 'enter' ? actions[0].who : []);
      expect(present.size).toBe(people);
      expect(actions.filter(({ act }) => act === 'move')).toHaveLength(moves);
      const named = new Set<string>();
      for (const action of actions) {
        if ('place' in action) named.add(action.place);
        if (action.act === 'move') expect(present).toContain(action.who);
        if (action.act === 'exit') expect(present.delete(action.who)).toBe(true);
      }
      expect(named.size).toBeLessThanOrEqual(containers);
      named.forEach((place) => places.add(place));
    }
    expect(places.size).toBe(18);
  });

  it('has a full trace of 66 to 71 words before the answer at order 1 with the default settings', () => {
    const wordsOf = ({ traces }: Item) => traces!.full!.split(' </think>')[0].split(' ').length;
    const words = make(500, 4, { orders: [1] }).map(wordsOf);
    expect([Math.min(...words), Math.max(...words)]).toEqual([66, 71]);
  });
});

describe('the shortcut of rooms stories', () => {
  it.each([0, 0.45, 0.9, 1])('is right for a fraction of %d, within four standard errors', (rho) => {
    for (const dials of [{}, { people: 2, containers: 3, moves: 2 }, { people: 5, moves: 8 }]) {
      const items = make(sampled(1500, 10_000), 8, { ...dials, rho });
      const rate = items.filter(isEasy).length / items.length;
      expect(Math.abs(rate - rho)).toBeLessThanOrEqual(4 * Math.sqrt((rho * (1 - rho)) / items.length));
    }
  });

  it('is right if an agent of the question left before the first move, and wrong if all saw a move', () => {
    for (const item of make(sampled(1000, 5000), 9, { rho: 0.5 })) {
      const { actions, question } = worldOf(item);
      const firstMove = actions.findIndex(({ act }) => act === 'move');
      const sawNone = question.chain.some((agent) =>
        actions.slice(0, firstMove).some((action) => action.act === 'exit' && action.who === agent),
      );
      expect([item.kind, isEasy(item)]).toEqual(sawNone ? ['easy', true] : ['hard', false]);
    }
  });
});
