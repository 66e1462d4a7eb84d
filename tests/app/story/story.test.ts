import { describe, expect, it } from 'vitest';
import { pinsOf, scenesOf } from '../../../src/app/story/story-picture';
import { questionSentence, storySentences } from '../../../src/app/story/sentences';
import { checkNanoTrace, checkSwapTrace } from '../../../src/reward/small-traces';
import { readSmallStory } from '../../../src/tom/text/read-small-story';

const swap = readSmallStory(
  'ann bob cat entered . coin in box . ann swap box jar . bob exited . cat swap jar tin . where does ann think bob think coin ? <think>',
)!;
const nano = readSmallStory(
  'ann bob entered . key in bag . ann moved tin . ann exited . bob stayed . ann entered . bob exited . where does bob think key ? <think>',
)!;

describe('a story in sentences', () => {
  it('says who does what, and what is asked', () => {
    expect(storySentences(swap)).toBe(
      'Ann, bob and cat are in a room. The coin lies in the box. Ann swaps what is in the box and in the jar. Bob goes out. Cat swaps what is in the jar and in the tin.'.replace(
        'Ann, bob and cat',
        'Ann, Bob and Cat',
      ),
    );
    expect(questionSentence(swap)).toBe('Where does Ann think that Bob thinks the coin is?');
    expect(storySentences(nano)).toContain(
      'Ann moves the key to the tin. Ann goes out. Bob leaves the key where it is.',
    );
  });
});

describe('a story as a picture', () => {
  it('shades who is in the room, and counts the events that show the object', () => {
    const scenes = scenesOf(swap);
    expect(scenes.map(({ event }) => event)).toEqual([0, 1, null, 2]);
    expect(scenes.map(({ present }) => present.includes('bob'))).toEqual([true, true, false, false]);
    expect(scenesOf(nano).map(({ event }) => event)).toEqual([0, 1, null, 2, 3, null]);
  });
});

describe('a statement', () => {
  it('stands beside the event that it speaks of: in the swap world the next one', () => {
    if (swap.kind !== 'swap') throw new Error('not the swap world');
    const { statements } = checkSwapTrace('start box ; ann jar ; cat tin ; so jar', swap.world);
    expect(pinsOf(swap, statements).map(({ event, verdict }) => [event, verdict])).toEqual([
      [0, 'true'],
      [1, 'true'],
      [2, 'false'],
      ['answer', 'true'],
    ]);
    expect(pinsOf(swap, [{ text: 'box box box', verdict: 'unread' }])[0].event).toBeNull();
  });

  it('in the nano world the one of its actor, and of several the one of its place', () => {
    if (nano.kind !== 'nano') throw new Error('not the nano world');
    const { statements } = checkNanoTrace(
      'bob tin seen bob ; ann tin seen bob ; gus bag seen bob ; so tin',
      nano.world,
    );
    expect(pinsOf(nano, statements).map(({ event }) => event)).toEqual([2, 1, null, 'answer']);
  });
});
