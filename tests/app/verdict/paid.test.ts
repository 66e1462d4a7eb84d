import { h } from 'preact';
import { describe, expect, it } from 'vitest';
import { presets } from '../../../src/run/config/presets';
import { drawn } from '../../fixtures/little-dom';
import { WhatPaid, worthWords } from '../../../src/app/verdict/what-paid';
import { paidStep, type PaidStep } from '../../../src/run/recording/step-batch';
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
    right: all.map(({ reward }) => (reward > 0 ? 'r' : 'w')).join(''),
    pushed: '+'.repeat(all.length),
  };
}

describe('what was paid', () => {
  it('tells correct reasoning from untrue and from none, by the statements that were checked', () => {
    const { rollouts } = readRecording('ladder-25k');
    const thought = rollouts.filter(({ reward }) => reward.trace?.statements.length);
    const isTrue = thought.find(({ reward }) => reward.trace!.statements.every((s) => s.verdict === 'true'))!;
    const untrue = thought.find(({ reward }) => reward.trace!.statements.some((s) => s.verdict === 'false'))!;
    const silent = {
      ...isTrue,
      reward: { ...isTrue.reward, think: ' ', correct: false, total: -0.5 },
      advantage: -1,
    };
    const trace = { ...isTrue.reward.trace!, statements: [] };
    const dots = { ...silent, reward: { ...silent.reward, think: '...', trace } };
    expect(paidStep(3, [{ ...isTrue, advantage: 0.5 }, untrue, silent, dots])).toMatchObject({
      step: 3,
      kinds: 'tunn',
      rewards: [isTrue.reward.total, untrue.reward.total, -0.5, -0.5],
      right: `${isTrue.reward.correct ? 'r' : 'w'}${untrue.reward.correct ? 'r' : 'w'}ww`,
      pushed: expect.stringMatching(/^\+.--$/) as string,
    });
  });

  it('compares answers of one step: over steps together thinking may seem worse where it is better in each', () => {
    const early = [
      step(1, ['u', 24, 1], ['n', 8, 0.5]),
      step(5, ['u', 9, 3]), // nothing to compare
      step(10, ['u', 1, 9], ['n', 1, 0]), // two answers count less than 32
      step(20, ['u', 8, 2.5], ['n', 24, 2]),
    ];
    expect(worthWords(early, step(60, ['u', 30, 3], ['n', 2, 2]))).toBe(
      'In steps 1 to 20 an answer with thinking earned 0.8 more than one without, in the same step. It thought in 75 % of its answers at first, and in 94 % at last.',
    );
    const last = step(60, ['n', 8, 2]);
    expect(worthWords([step(1, ['u', 8, 1]), step(20, ['n', 8, 2])], last)).toBe('');
    expect(worthWords([step(1, ['u', 30, 1], ['n', 7, 2])], last)).toBe('');
  });
});

it('what was paid first is that of the first steps on rewards, after a warm start too', async () => {
  const load = (number: number) => Promise.resolve(step(number, ['u', 24, 1], ['n', 8, 0.5]));
  for (const start of [1, 41]) {
    const steps = [0, 19, 49].map((after) => start + after);
    const props = { steps, load, paying: presets['first-run-0.5b'] };
    const shown = drawn(h(WhatPaid, props));
    await new Promise((resolve) => setTimeout(resolve, 5));
    const text = shown.text();
    shown.close();
    expect(text).toContain(`steps ${start} to ${start + 19}step ${start + 49}`);
    expect(text).toContain(`In steps ${start} to ${start + 19} an answer with thinking`);
    expect(text).toContain(
      'thinks, and some is untrue●●●●●●●●●●48 of 48 right, earned 1●●●●●●●●●●24 of 24 right',
    );
  }
});
