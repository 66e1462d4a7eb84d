import { describe, expect, it } from 'vitest';
import { paidStep, paidWords, type PaidStep } from '../../../src/app/verdict/paid';
import { readRecording } from '../../fixtures/recordings';

/** Of each kind so many answers, each paid so much. */
function step(number: number, ...answers: [kind: string, count: number, reward: number][]): PaidStep {
  const all = answers.flatMap(([kind, count, reward]) =>
    Array.from({ length: count }, () => ({ kind, reward })),
  );
  return {
    step: number,
    kinds: all.map(({ kind }) => kind).join(''),
    rewards: all.map(({ reward }) => reward),
    right: 'r'.repeat(all.length),
    pushed: '+'.repeat(all.length),
  };
}

describe('what was paid', () => {
  it('tells true thinking from untrue and from none, by the statements that were checked', () => {
    const { rollouts } = readRecording('ladder-25k');
    const thought = rollouts.filter(({ reward }) => reward.trace?.statements.length);
    const isTrue = thought.find(({ reward }) => reward.trace!.statements.every((s) => s.verdict === 'true'))!;
    const untrue = thought.find(({ reward }) => reward.trace!.statements.some((s) => s.verdict === 'false'))!;
    const silent = {
      ...isTrue,
      reward: { ...isTrue.reward, think: ' ', correct: false, total: -0.5 },
      advantage: -1,
    };
    expect(paidStep(3, [{ ...isTrue, advantage: 0.5 }, untrue, silent])).toMatchObject({
      step: 3,
      kinds: 'tun',
      rewards: [isTrue.reward.total, untrue.reward.total, -0.5],
      right: `${isTrue.reward.correct ? 'r' : 'w'}${untrue.reward.correct ? 'r' : 'w'}w`,
      pushed: expect.stringMatching(/^\+.-$/) as string,
    });
  });

  it('tells what thinking earned in the first steps, and whether the model went that way', () => {
    const early = [step(1, ['u', 16, 1], ['n', 16, 2.5]), step(20, ['u', 32, 1], ['n', 32, 2])];
    expect(paidWords(early, step(60, ['u', 4, 1], ['n', 28, 2.5]))).toEqual([
      'In the first 20 steps thinking earned 1 on average, not thinking 2.2: so it came to think less often, 50 % of its answers at first and 13 % at last.',
    ]);
    expect(paidWords(early, step(60, ['u', 28, 1], ['n', 4, 2.5]))[0]).toContain(
      'yet it came to think more often',
    );
  });

  it('says where being true hardly pays, and nothing of a few answers', () => {
    const alike = [step(1, ['t', 20, 3])];
    expect(paidWords(alike, step(60, ['t', 20, 3], ['u', 20, 2.8]))).toEqual([
      'At last untrue thinking earned 2.8, true thinking 3: where a shortcut gives most answers, being true hardly pays.',
    ]);
    expect(paidWords(alike, step(60, ['t', 20, 3], ['u', 20, 1]))).toEqual([]);
    expect(paidWords([step(1, ['t', 5, 3], ['n', 5, 1])], step(60))).toEqual([]);
  });
});
