import { describe, expect, it } from 'vitest';
import { checkTrace } from '../../src/reward/score';
import { isEasy, type Item } from '../../src/tom/item';
import { itemWorld } from '../../src/tom/worlds/item-world';
import { roomsDefaults } from '../../src/tom/worlds/orders';
import type { World } from '../../src/tom/beliefs/world';
import { itemsOf } from './items';
import { sampled } from '../fixtures/sample';

type Changes = NonNullable<Parameters<typeof itemsOf>[3]>;
const make = (count: number, seed: number, changes: Changes = {}): Item[] =>
  itemsOf('rooms', count, seed, changes);

const worldOf = (item: Item): World => {
  const behind = itemWorld(item);
  if (behind?.kind !== 'story') throw new Error('rooms stories have actions');
  return behind.world;
};
const thinkOf = (trace: string): string => trace.split(' </think>')[0];
const words = (text: string): number => text.split(' ').length;
const count = <Value>(values: readonly Value[], wanted: Value): number =>
  values.filter((value) => value === wanted).length;

describe('a rooms story', () => {
  it('reads as plain English', () => {
    const [item] = make(1, 3, { orders: [2], rho: 0 });
    const { actions, question } = worldOf(item);
    const [enter, announce] = actions;
    if (enter.act !== 'enter' || announce.act !== 'announce') throw new Error('no beginning');
    const [first, second, third] = enter.who;
    const begins = `${first}, ${second} and ${third} entered the ${enter.room}. The ${announce.thing} is in the ${announce.place}. `;
    expect(item.story.slice(0, begins.length)).toBe(begins);
    expect(item.question).toBe(
      `Where does ${question.chain[0]} think ${question.chain[1]} thinks the ${announce.thing} is?`,
    );
    expect(item.shortcuts).toEqual({ 'first-place': announce.place });
  });

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
      expect(
        count(
          actions.map(({ act }) => act),
          'move',
        ),
      ).toBe(moves);
      const named = new Set<string>();
      for (const action of actions) {
        if ('place' in action) named.add(action.place);
        if (action.act === 'move') expect(present).toContain(action.who);
        if (action.act === 'exit') expect(present.delete(action.who)).toBe(true);
      }
      expect(named.size).toBeLessThanOrEqual(containers);
      named.forEach((place) => places.add(place));
      expect([item.answer, item.shortcuts['first-place']].every((place) => /^[a-z]+$/.test(place))).toBe(
        true,
      );
    }
    expect(places.size).toBe(18);
  });
});

describe('the shortcut of rooms stories', () => {
  it.each([0, 0.45, 0.9, 1])('is right for a fraction of %d, within four standard errors', (rho) => {
    for (const dials of [{}, { people: 2, containers: 3, moves: 2 }, { people: 5, moves: 8 }]) {
      const items = make(sampled(1500, 10_000), 8, { ...dials, rho });
      const rate = count(items.map(isEasy), true) / items.length;
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

/** Variants of the trace with one sentence made false, one for each sentence that is not about leaving. */
function falsified(item: Item, think: string): string[] {
  const { actions, question } = worldOf(item);
  const places = [...new Set(actions.flatMap((action) => ('place' in action ? [action.place] : [])))];
  const sentences = think.split(/(?<=\.) /);
  return sentences.flatMap((sentence, index) => {
    const became = (change: string): string => sentences.with(index, change).join(' ');
    if (sentence.endsWith(' left.')) return [];
    if (sentence.endsWith(' saw that.')) {
      return [became(sentence.replace(/^(\w+).* saw that/, "$1 didn't see that"))];
    }
    if (sentence.endsWith(" didn't see that.")) return [became(`${question.chain[0]} saw that.`)];
    const [, start, place] = /^(.* )(\w+)\.$/.exec(sentence)!;
    const happened = (other: string): boolean =>
      actions.some(
        (action) => action.act === 'move' && action.place === other && start.startsWith(action.who),
      );
    const isMove = start.includes(' moved ');
    return places
      .filter((other) => other !== place && !(isMove && happened(other)))
      .map((other) => became(`${start}${other}.`));
  });
}

describe('the gold traces of rooms stories', () => {
  const items = [{}, { people: 5, containers: 6, moves: 8 }, { people: 2, containers: 3, moves: 2 }].flatMap(
    (dials, index) => make(sampled(50, 1500), 10 + index, { ...dials, rho: 0.5 }),
  );

  it('are true, and the full trace is complete', () => {
    for (const item of items) {
      expect(checkTrace(thinkOf(item.traces!.full!), item)).toMatchObject({ validity: 1, coverage: 1 });
      expect(checkTrace(thinkOf(item.traces!.short!), item)).toMatchObject({ validity: 1 });
      expect(item.traces!.direct).toBe(`</think> <answer> ${item.answer} </answer>`);
    }
  });

  it('are false with any one sentence changed', () => {
    const judged = items.flatMap((item) =>
      [item.traces!.full!, item.traces!.short!].map((trace) => ({
        item,
        wrong: falsified(item, thinkOf(trace)),
      })),
    );
    expect(judged.every(({ wrong }) => wrong.length > 0)).toBe(true);
    const missed = judged.flatMap(({ item, wrong }) =>
      wrong.filter(
        (think) => !checkTrace(think, item)!.statements.some(({ verdict }) => verdict === 'false'),
      ),
    );
    expect(missed.slice(0, 1)).toEqual([]);
  });

  it('report each move and whether the agent of the question saw it, in 60 to 75 words', () => {
    for (const item of make(sampled(200, 1000), 13, { orders: [1], rho: 0.5 })) {
      const think = thinkOf(item.traces!.full!);
      expect(think.match(/ moved it to the /g)).toHaveLength(5);
      expect(think.match(/ (?:saw|didn't see) that\./g)).toHaveLength(6);
      expect(words(think)).toBeGreaterThanOrEqual(60);
      expect(words(think)).toBeLessThanOrEqual(75);
      expect(thinkOf(item.traces!.short!)).toBe(
        `So ${worldOf(item).question.chain[0]} thinks it is in the ${item.answer}.`,
      );
    }
  });
});
