import { describe, expect, it } from 'vitest';
import { pairAt } from '../../../src/app/story/clearest-change';
import { sharedQuestion, statementsOf } from '../../../src/app/story/answers';
import { rungs } from '../../../src/run/recording/recording-file';
import type { Rollout } from '../../../src/run/record/rollout-record';
import { readRecording } from '../../fixtures/recordings';
import { rollout } from '../../share/run-content';
import { measuredAccuracy } from '../../../src/reward/accuracy';

const recordings = rungs.map(({ preset }) => readRecording(preset));

describe('an answer that stands for all', () => {
  const practised = (at: number) =>
    recordings.map(({ records, rollouts }) => ({
      rollouts: rollouts.filter(({ step }) => step === at),
      mean: records[at - 1]['think/mean_length'],
      right: 0.5,
    }));
  const tested = recordings.map(({ evals }) => {
    const { samples, meanThinkLength, shortcutWrong } = evals.at(-1)!.report;
    return { rollouts: samples, mean: meanThinkLength, right: measuredAccuracy(shortcutWrong)! };
  });

  it('asks the three the same question at the same step, and in the test', () => {
    for (const all of [...[1, 10, 20, 30, 40, 50, 60].map(practised), tested]) {
      const asked = sharedQuestion(all)!;
      for (const { rollouts } of all) expect(rollouts.map(({ prompt }) => prompt)).toContain(asked);
    }
    expect(sharedQuestion([tested[0], practised(10)[1]])).toBeUndefined();
  });

  it('is hard, right as most are, and as long as the mean', () => {
    const answer = (prompt: string, correct: boolean, words: number, shortcutAnswer = 'attic'): Rollout => ({
      ...{ ...rollout, prompt, shortcutAnswer },
      reward: { ...rollout.reward, correct, think: 'so '.repeat(words) },
    });
    const rollouts = [
      answer('easy', true, 5, rollout.goldAnswer),
      answer('long', true, 9),
      answer('right', true, 6),
      answer('wrong', false, 5),
    ];
    const asked = (right: number) => sharedQuestion([{ rollouts, mean: 5, right }]);
    expect([asked(0.7), asked(0.2)]).toEqual(['right', 'wrong']);
  });

  it('shows a thought whole, and counts what repeats', () => {
    expect(statementsOf('start box ; ann tin ; ann tin ; so tin')).toBe('start box · ann tin ×2 · so tin');
    expect(statementsOf('so tin')).toBe('so tin');
  });
});

it('the first answer is compared with the last one up to the step, at the first evaluation with the latest of all', () => {
  const { evals } = readRecording('ladder-25k');
  const [first, second] = evals;
  const before = first.report.samples.find(({ itemId }) =>
    second.report.samples.some((sample) => sample.itemId === itemId),
  )!;
  expect(pairAt(evals, before, second.report.step + 1)!.step).toBe(second.report.step);
  expect(pairAt(evals, before, first.report.step)!.step).toBe(evals.at(-1)!.report.step);
  expect(pairAt(evals, before, evals.at(-1)!.report.step)!.after.itemId).toBe(before.itemId);
  expect(pairAt([first], before, 0)).toBeNull();
});
