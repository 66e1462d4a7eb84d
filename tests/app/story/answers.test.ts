import { describe, expect, it } from 'vitest';
import { answerOf, answerPool, sharedQuestion } from '../../../src/app/story/answers';
import { curvesOf } from '../../../src/app/charts/lines/curve';
import { rungs } from '../../../src/run/recording/recording-file';
import { statementsOf } from '../../../src/app/story/answer-text';
import { emptyHistory } from '../../../src/run/record/history';
import { readRecording } from '../../fixtures/recordings';

const recordings = rungs.map(({ preset }) => readRecording(preset));

describe('an answer that stands for all', () => {
  const practised = (at: number) =>
    recordings.map(({ records, rollouts }) =>
      answerPool(
        rollouts.filter(({ step }) => step === at),
        records[at - 1]['think/mean_length'],
      ),
    );
  const tested = recordings.map(({ evals }) => {
    const { samples, meanThinkLength, shortcutWrong } = evals.at(-1)!.report;
    return { rollouts: samples, mean: meanThinkLength, right: shortcutWrong.accuracy };
  });

  it('asks the three the same questions at the same step, and in the test', () => {
    for (const all of [...[1, 10, 20, 30, 40, 50, 60].map(practised), tested]) {
      const asked = sharedQuestion(all)!;
      const questions = all.map((pool) => answerOf(pool, asked)!.prompt);
      expect(questions).toEqual([asked, asked, asked]);
    }
    expect(sharedQuestion([tested[0], practised(10)[1]])).toBeUndefined();
  });

  it('shows an answer of typical length: at the tenth step all think, at the last the small one does not', () => {
    const words = (all: ReturnType<typeof practised>): number[] =>
      all.map((pool) => answerOf(pool)!.thinks.split(' ').filter(Boolean).length);
    expect(words(practised(10))).toEqual([19, 19, 21]);
    expect(words(practised(60))).toEqual([0, 17, 19]);
  });

  it('shows an answer that is right or wrong as most hard ones are, whatever its length', () => {
    const wrong = tested[1].rollouts.find(
      ({ reward, goldAnswer, shortcutAnswer }) => !reward.correct && shortcutAnswer !== goldAnswer,
    )!;
    const words = wrong.reward.think.trim().split(' ').length;
    const right = { ...wrong, reward: { ...wrong.reward, correct: true } };
    const shorter = { ...wrong, reward: { ...wrong.reward, think: 'so tin' } };
    for (const [few, shown] of [
      [0.1, false],
      [0.9, true],
    ] as const)
      // prettier-ignore
      expect(answerOf({ rollouts: [right, shorter], mean: words, right: few })!.correct).toBe(shown);
    const asked = sharedQuestion(tested);
    expect(tested.map((pool) => answerOf(pool, asked)!.correct)).toEqual([false, false, true]);
  });

  it('calls no question hard of which no shortcut is known', () => {
    const [pool] = practised(10);
    const isHard = (rollouts = pool.rollouts) => answerOf({ ...pool, rollouts })?.isHard;
    expect(isHard()).toBe(true);
    expect(isHard(pool.rollouts.map((rollout) => ({ ...rollout, shortcutAnswer: null })))).toBe(false);
  });

  it('draws nothing of a run that has no step yet', () => {
    for (const { steps } of Object.values(curvesOf(emptyHistory.steps, emptyHistory.evals)))
      expect(steps).toEqual([]);
    expect(answerOf(answerPool([], 0))).toBeNull();
  });

  it('shows a thought whole, and counts what repeats', () => {
    expect(statementsOf('start box ; ann tin ; ann tin ; so tin')).toBe('start box · ann tin ×2 · so tin');
    expect(statementsOf('so tin')).toBe('so tin');
  });
});
