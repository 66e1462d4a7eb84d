import { describe, expect, it } from 'vitest';
import { drawnStory, faultOf } from '../../../src/app/ask/compose';
import { readSwapStory } from '../../../src/tom/text/read-swap-story';
import { swapItem, type SwapLine, type SwapWorld } from '../../../src/tom/worlds/swap';

const drawn = Array.from({ length: 40 }, (_, number) => drawnStory(number));
const swaps = drawnStory(1);
const swap = swaps.lines.find((line): line is Extract<SwapLine, { act: 'swap' }> => line.act === 'swap')!;

describe('a story of one’s own', () => {
  it('begins as one of the world’s, without a fault, and reads as it was drawn', () => {
    for (const world of drawn) {
      expect(faultOf(world)).toBeNull();
      const { story, question, answer, order } = swapItem(world, 'asked');
      const read = readSwapStory(`${story} ${question} <think>`)!;
      expect(read.world.lines).toEqual(world.lines);
      expect(read.world.chain).toEqual(world.chain);
      expect(order).toBe(world.chain.length);
      expect(story).toContain(answer);
    }
  });

  it('has as many lines and people as those that the models know', () => {
    expect(new Set(drawn.map(({ lines, agents }) => `${lines.length} ${agents.length}`))).toEqual(
      new Set(['9 4']),
    );
  });

  it('has the true answer of what was changed', () => {
    const told: SwapWorld = {
      places: [],
      agents: ['ann', 'bob', 'cat', 'dan'],
      object: 'coin',
      start: 'box',
      lines: [
        { actor: 'bob', act: 'swap', places: ['box', 'tin'] },
        { actor: 'ann', act: 'exited' },
        { actor: 'bob', act: 'swap', places: ['tin', 'jar'] },
      ],
      chain: ['ann'],
    };
    expect(swapItem(told, 'asked').answer).toBe('tin');
    expect(swapItem({ ...told, chain: ['bob'] }, 'asked').answer).toBe('jar');
    expect(swapItem({ ...told, chain: ['bob', 'ann'] }, 'asked').answer).toBe('tin');
    expect(swapItem({ ...told, chain: [] }, 'asked').answer).toBe('jar');
  });

  it.each<[string, Partial<SwapWorld>, RegExp]>([
    [
      'somebody acts who has gone',
      { lines: [...swaps.lines, { ...swap, actor: swaps.lines.find(({ act }) => act === 'exited')!.actor }] },
      /not in the room/,
    ],
    [
      'somebody comes back who is there',
      { lines: [{ actor: swap.actor, act: 'entered' }] },
      /in the room already/,
    ],
    [
      'a place is swapped with itself',
      { lines: [{ ...swap, places: ['box', 'box'] }] },
      /two different places/,
    ],
    ['nothing happens', { lines: [] }, /add a line/],
    ['somebody is asked about twice', { chain: ['ann', 'ann'] }, /twice/],
  ])('is not asked where %s', (_, change, words) => {
    expect(faultOf({ ...swaps, ...change })).toMatch(words);
  });
});
