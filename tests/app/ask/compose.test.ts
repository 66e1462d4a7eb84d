import { describe, expect, it } from 'vitest';
import { faultOf, prefilledQuestion, prefilledWords, usualStory } from '../../../src/app/ask/compose';
import { createRandom } from '../../../src/base/random';
import { rungs } from '../../../src/run/recording/recording-file';
import { pairAt } from '../../../src/app/story/clearest-change';
import type { Evaluation } from '../../../src/run/record/evaluation';
import {
  drawSwapWorld,
  swapDefaults,
  swapItem,
  type SwapLine,
  type SwapWorld,
} from '../../../src/tom/worlds/swap';
import { readRecording } from '../../fixtures/recordings';

const drawn = Array.from({ length: 40 }, (_, number) =>
  drawSwapWorld(createRandom(number, 0x61736b), 1 + (number % 3), swapDefaults),
);
const { lines } = usualStory;
const swap = lines.find((line): line is Extract<SwapLine, { act: 'swap' }> => line.act === 'swap')!;

describe('a story of one’s own', () => {
  it('begins as one of those that the models know, without a fault', () => {
    for (const world of [usualStory, ...drawn]) {
      expect(faultOf(world)).toBeNull();
      expect([world.lines.length, world.agents.length]).toEqual([9, 4]);
    }
  });

  it.each<[string, Partial<SwapWorld>, RegExp]>([
    [
      'somebody acts who has gone',
      { lines: [...lines, { ...swap, actor: lines.find(({ act }) => act === 'exited')!.actor }] },
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
    expect(faultOf({ ...usualStory, ...change })).toMatch(words);
  });
});

const { evals } = readRecording('ladder-25k');

/** The same evaluation with the answers of another one. With `thinkingToo` it also has the other's thinking. */
function answeredAs(later: Evaluation, earlier: Evaluation, thinkingToo: boolean): Evaluation {
  const samples = later.report.samples.map((sample) => {
    const { answer, correct, think } = earlier.report.samples.find(
      ({ itemId }) => itemId === sample.itemId,
    )!.reward;
    const reward = { ...sample.reward, answer, correct, ...(thinkingToo && { think }) };
    return { ...sample, reward };
  });
  return { ...later, report: { ...later.report, samples } };
}

describe('the question that “Ask it yourself” begins with', () => {
  it('is one that the two models answered differently, word for word as they were asked it', () => {
    for (const { preset } of rungs) {
      const { evals, config } = readRecording(preset);
      const found = prefilledQuestion(evals)!;
      const { before, after } = found.answered;
      expect(before.reward.answer).not.toBe(after.reward.answer);
      const { story, question } = swapItem(found.world, 'asked');
      expect(before.prompt.startsWith(`${story} ${question}`)).toBe(true);
      expect(prefilledWords(found)).toContain(`“${after.reward.answer}” at step ${config.steps}`);
    }
  });

  it('is one whose thinking differs where no answer does, or else the first; and says so', () => {
    const last = evals.at(-1)!;
    const found = prefilledQuestion([evals[0], answeredAs(last, evals[0], false)])!;
    const { before, after } = found.answered;
    expect(before.reward.answer).toBe(after.reward.answer);
    expect(before.reward.think).not.toBe(after.reward.think);
    expect(prefilledWords(found)).toContain('expect the same one');
    expect(prefilledQuestion([evals[0], answeredAs(last, evals[0], true)])).not.toBeNull();
    expect(prefilledQuestion(evals.slice(0, 1))).toBeNull();
  });
});

it('the first answer is compared with the last one up to the step, at the first evaluation with the latest of all', () => {
  const [first, second] = evals;
  const before = first.report.samples.find(({ itemId }) =>
    second.report.samples.some((sample) => sample.itemId === itemId),
  )!;
  expect(pairAt(evals, before, second.report.step + 1)!.step).toBe(second.report.step);
  expect(pairAt(evals, before, first.report.step)!.step).toBe(evals.at(-1)!.report.step);
  expect(pairAt(evals, before, evals.at(-1)!.report.step)!.after.itemId).toBe(before.itemId);
  expect(pairAt([first], before, 0)).toBeNull();
});
