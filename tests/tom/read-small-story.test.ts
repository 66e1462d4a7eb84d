import { describe, expect, it } from 'vitest';
import { createRandom } from '../../src/base/random';
import { formatPrompt } from '../../src/tom/text/prompts';
import { drawNanoWorld, nanoItem } from '../../src/tom/worlds/nano';
import { smallEvents } from '../../src/tom/worlds/small-world';
import { readSmallStory } from '../../src/tom/text/read-small-story';
import { drawSwapWorld, swapDefaults, swapItem } from '../../src/tom/worlds/swap';
import type { Item } from '../../src/tom/item';

const promptOf = (item: Item): string => {
  const prompt = formatPrompt(item, 'compact');
  return prompt.kind === 'text' ? prompt.text : '';
};

describe('the prompt of a small world', () => {
  it('is read back to the events and the people asked about, in the swap world', () => {
    for (let seed = 0; seed < 200; seed++) {
      const world = drawSwapWorld(createRandom(seed, 1), seed % 5, { ...swapDefaults, reentry: true });
      const story = readSmallStory(promptOf(swapItem(world, 'a')));
      expect(story?.kind).toBe('swap');
      expect(story?.events).toEqual(smallEvents(world));
      expect(story?.world.chain).toEqual(world.chain);
    }
  });

  it('and in the nano world', () => {
    for (let seed = 0; seed < 200; seed++) {
      const world = drawNanoWorld(createRandom(seed, 1), seed % 5, true);
      const story = readSmallStory(promptOf(nanoItem(world, 'a')));
      expect(story?.kind).toBe('nano');
      expect(story?.events).toEqual(smallEvents(world));
      expect(story?.world.chain).toEqual(world.chain);
    }
  });

  it('is nothing else', () => {
    for (const text of [
      '',
      'Sally put the ball in the box . where is ball ?',
      'ann bob entered . ball in box . ann danced . where is ball ?',
      'ann bob entered . ball in box . ann swap box . where is ball ?',
    ]) {
      expect(readSmallStory(text)).toBeNull();
    }
  });
});
