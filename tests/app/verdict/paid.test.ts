import { h } from 'preact';
import { describe, expect, it } from 'vitest';
import { presets } from '../../../src/run/config/presets';
import { drawn, stubDocument } from '../../fixtures/little-dom';
import { rungs } from '../../../src/run/recording/recording-file';
import { paidWords, WhatPaid } from '../../../src/app/verdict/what-paid';
import { paidStep, type PaidStep } from '../../../src/run/recording/step-batch';
import { standingOf } from '../../../src/run/verdict/ending';
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
    expect(paidWords(early, step(60, ['u', 30, 3], ['n', 2, 2]), undefined, false)).toEqual([
      'In the first 20 steps an answer with thinking earned 0.8 more than one without, in the same step: so it came to think more often, in 75 % of its answers at first and 94 % at last.',
    ]);
    expect(paidWords(early, step(60, ['u', 4, 3], ['n', 28, 2]), undefined, false)[0]).toContain(
      'yet it came to think less often',
    );
    expect(paidWords(early, step(60, ['u', 24, 3], ['n', 8, 2]), undefined, false)[0]).toContain(
      'yet it thought as often at last as at first, in 75 % of its answers.',
    );
    const apart = [step(1, ['u', 8, 1]), step(20, ['n', 8, 2])];
    expect(paidWords(apart, step(60, ['n', 8, 2]), undefined, false)).toEqual([]);
  });

  it('says of a model that fakes it what incorrect reasoning earns, unless truth is paid or few such answers are right', () => {
    const alike = [step(1, ['t', 20, 3])];
    const saidOf = (last: PaidStep, paysTruth = false) =>
      paidWords(alike, last, 'goes on writing, no longer thinks', paysTruth).length;
    const last = step(60, ['t', 20, 3], ['u', 20, 2.3]);
    expect([saidOf(last), saidOf(last, true), saidOf(step(60, ['t', 5, 3], ['u', 5, 2.3]))]).toEqual([
      1, 0, 0,
    ]);
    expect(saidOf(step(60, ['t', 30, 3], ['u', 9, 3], ['u', 11, -0.5]))).toBe(0);
    expect(paidWords(alike, last, 'stops thinking', false)).toEqual([]);
  });
});

it('what was paid first is that of the first steps on rewards, after a warm start too', async () => {
  stubDocument();
  const load = (number: number) => Promise.resolve(step(number, ['u', 24, 1], ['n', 8, 0.5]));
  for (const start of [1, 41]) {
    const steps = [0, 19, 49].map((after) => start + after);
    const props = { steps, load, ending: undefined, paying: presets['first-run-0.5b'] };
    const shown = drawn(h(WhatPaid, props));
    await new Promise((resolve) => setTimeout(resolve, 5));
    const text = shown.text();
    shown.close();
    expect(text).toContain(`steps ${start} to ${start + 19}step ${start + 49}`);
    expect(text).toContain(`${start === 1 ? 'In the first 20 steps' : 'In steps 41 to 60'} an answer with`);
  }
});

it('of the three models only the large one, which kept thinking, was mostly paid for correct reasoning from the first', () => {
  const words = rungs.map(({ preset }) => {
    const { paid, evals } = readRecording(preset);
    const early = paid.filter(({ step }) => step <= 20);
    return paidWords(early, paid.at(-1)!, standingOf(evals)?.ending, false).slice(1);
  });
  expect(words).toEqual([
    [],
    [expect.stringMatching(/^At last thinking with something untrue in it earned 2\.2 all the same/)],
    [
      'In the first 20 steps 1379 of its answers with thinking were wholly true and earned 3, the other 789 earned 2.3: from the first it was mostly correct reasoning that was paid.',
    ],
  ]);
  const fewTrue = [step(1, ['t', 10, 3], ['u', 12, 1])];
  expect(paidWords(fewTrue, step(60), 'keeps thinking', false)).toEqual([]);
});
