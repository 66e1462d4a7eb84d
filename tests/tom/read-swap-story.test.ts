import { describe, expect, it } from 'vitest';
import { createRandom } from '../../src/base/random';
import { formatPrompt } from '../../src/tom/text/prompts';
import { readSwapStory } from '../../src/tom/text/read-swap-story';
import { drawSwapWorld, swapDefaults, swapEvents, swapItem } from '../../src/tom/worlds/swap';
import type { Item } from '../../src/tom/item';

const promptOf = (item: Item): string => {
  const prompt = formatPrompt(item, 'compact');
  return prompt.kind === 'text' ? prompt.text : '';
};

describe('the prompt of a swap story', () => {
  it('is read back to the events and the people asked about', () => {
    for (let seed = 0; seed < 200; seed++) {
      const world = drawSwapWorld(createRandom(seed, 1), seed % 5, { ...swapDefaults, reentry: true });
      const story = readSwapStory(promptOf(swapItem(world, 'a')));
      expect(story?.events).toEqual(swapEvents(world));
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
      expect(readSwapStory(text)).toBeNull();
    }
  });
});
