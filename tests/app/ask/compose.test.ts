import { describe, expect, it } from 'vitest';
import {
  drawnStory,
  faultOf,
  itemOf,
  storyOf,
  usualStory,
  type DraftStory,
} from '../../../src/app/ask/compose';
import { readSwapStory } from '../../../src/tom/text/read-swap-story';

const drawn = Array.from({ length: 40 }, (_, number) => drawnStory(number));
const swaps = drawnStory(1);

describe('a story of one’s own', () => {
  it('begins as one of the world’s, without a fault, and reads as it was drawn', () => {
    for (const draft of drawn) {
      expect(faultOf(draft)).toBeNull();
      const { story, question, answer, order } = itemOf(draft);
      const read = readSwapStory(`${story} ${question} <think>`)!;
      expect(read.world.lines).toEqual(storyOf(draft).world.lines);
      expect(read.world.chain).toEqual(draft.chain);
      expect(order).toBe(draft.chain.length);
      expect(story).toContain(answer);
    }
  });

  it('is held against those that the models know: so many lines, so many people', () => {
    expect(usualStory()).toEqual({ least: 9, most: 9, people: 4 });
  });

  it('has the true answer of what was changed', () => {
    const told: DraftStory = {
      agents: ['ann', 'bob', 'cat', 'dan'],
      object: 'coin',
      start: 'box',
      lines: [
        { actor: 'bob', act: 'swap', places: ['box', 'tin'] },
        { actor: 'ann', act: 'exited', places: ['bag', 'bin'] },
        { actor: 'bob', act: 'swap', places: ['tin', 'jar'] },
      ],
      chain: ['ann'],
    };
    expect(itemOf(told).answer).toBe('tin');
    expect(itemOf({ ...told, chain: ['bob'] }).answer).toBe('jar');
    expect(itemOf({ ...told, chain: ['bob', 'ann'] }).answer).toBe('tin');
    expect(itemOf({ ...told, chain: [] }).answer).toBe('jar');
  });

  it.each<[string, Partial<DraftStory>, RegExp]>([
    [
      'somebody acts who has gone',
      { lines: [...swaps.lines, { ...swaps.lines.find(({ act }) => act === 'exited')!, act: 'swap' }] },
      /not in the room/,
    ],
    [
      'somebody comes back who is there',
      { lines: [{ ...swaps.lines[0], act: 'entered' }] },
      /in the room already/,
    ],
    [
      'a place is swapped with itself',
      { lines: [{ ...swaps.lines[0], places: ['box', 'box'] }] },
      /two different places/,
    ],
    ['nothing happens', { lines: [] }, /add a line/],
    ['somebody is asked about twice', { chain: ['ann', 'ann'] }, /twice/],
  ])('is not asked where %s', (_, change, words) => {
    expect(faultOf({ ...swaps, ...change })).toMatch(words);
  });
});
