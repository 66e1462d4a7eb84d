import { h } from 'preact';
import { expect, it } from 'vitest';
import { pinsOf, scenesOf, StoryPicture } from '../../../src/app/story/story-picture';
import { questionSentence, storySentences } from '../../../src/app/story/sentences';
import { checkSwapTrace } from '../../../src/reward/swap-trace';
import { readSwapStory } from '../../../src/tom/text/read-swap-story';
import { drawn } from '../../fixtures/little-dom';
import { rollout } from '../../share/run-content';

const swap = readSwapStory(
  'ann bob cat entered . coin in box . ann swap box jar . bob exited . cat swap jar tin . where does ann think bob think coin ? <think>',
)!;
it('a story in sentences names actors, actions and the question', () => {
  expect(storySentences(swap)).toBe(
    'Ann, Bob and Cat are in a room. The coin lies in the box. Ann swaps what is in the box and in the jar. Bob goes out. Cat swaps what is in the jar and in the tin.',
  );
  expect(questionSentence(swap)).toBe('Where does Ann think that Bob thinks the coin is?');
});

it('a story as a picture shades who is in the room, and counts the events that show the object', () => {
  const scenes = scenesOf(swap);
  expect(scenes.map(({ event }) => event)).toEqual([0, 1, null, 2]);
  expect(scenes.map(({ present }) => present.includes('bob'))).toEqual([true, true, false, false]);
});

it('a statement is next to the event that it describes: the next one', () => {
  const { statements } = checkSwapTrace('start box ; ann jar ; cat tin ; so jar', swap.world);
  expect(pinsOf(swap, statements).map(({ event, verdict }) => [event, verdict])).toEqual([
    [0, 'true'],
    [1, 'true'],
    [2, 'false'],
    [undefined, 'true'],
  ]);
  expect(pinsOf(swap, [{ text: 'box box box', verdict: 'unread' }])[0].event).toBeUndefined();
});

it('a picture shortens statements on events alone, so a conclusion or unread words stay apart from the answer', () => {
  const trace = checkSwapTrace('start box ; none ; so jar', swap.world);
  trace.statements.push({ text: 'box box box', verdict: 'unread' });
  const told = [{ name: 'step 0', rollout: { ...rollout, reward: { ...rollout.reward, trace } } }];
  const shown = drawn(h(StoryPicture, { story: swap, told }));
  const pins = shown.all('span').filter((span) => span.getAttribute('class')?.startsWith('pin') === true);
  expect(pins.map(({ textContent }) => textContent.split(' (')[0])).toEqual([
    '✓ box',
    '✗ not seen',
    '✓ so jar',
    '? box box box',
  ]);
});
