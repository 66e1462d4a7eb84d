import { describe, expect, it } from 'vitest';
import { measuredWords } from '../../../src/app/run/backend-line';
import { phaseWords } from '../../../src/app/run/phase-words';
import { timingOf } from '../../../src/run/estimate';
import type { StepRecord } from '../../../src/run/record/events';

it('the speed of a run is what its own steps took, keeping included', () => {
  const steps = (count: number, step_time: number): StepRecord[] =>
    Array.from({ length: count }, (_, at) => ({ step: at + 1, step_time, 'time/store': 0.01 }));
  expect(measuredWords(timingOf(steps(150, 0.49)))).toBe(
    '150 steps took 75 s, 0.50 s each, evaluations left out',
  );
  expect(measuredWords(timingOf(steps(20, 12.39)))).toMatch(/, 12 s each, evaluations left out$/);
  const repeated = [...steps(100, 0.49), ...steps(150, 0.49)]; // after a resumption
  expect(timingOf(repeated)).toEqual(timingOf(steps(150, 0.49)));
  const logged = steps(900, 0.49).filter(({ step }) => step % 10 === 1);
  expect(measuredWords(timingOf(logged))).toMatch(/^891 steps took .*, 0.50 s each/);
  // Too few steps, and records without times.
  for (const few of [steps(2, 0.5), [{ step: 1 }, { step: 2 }, { step: 3 }]])
    expect(measuredWords(timingOf(few))).toBe('');
});

describe('the words for what a run is at', () => {
  it('stay the same over the steps of a quick run', () => {
    const phases = ['rollout', 'reward', 'reference', 'update'] as const;
    expect(new Set(phases.map((phase) => phaseWords(phase, 0.3, { fraction: 0.5 })))).toEqual(
      new Set(['training']),
    );
    expect(phaseWords('evaluate', 0.3, { fraction: 0.347 })).toBe('asking test questions, 34 %');
    const count = { done: 11, total: 60 };
    expect(phaseWords('compile', null, { fraction: 0, count })).toBe('compiling kernel 12 of 60');
  });

  it('tell the parts of a slow step, and how far each is', () => {
    const count = { done: 12, total: 32 };
    expect(phaseWords('rollout', null, { fraction: 0.449, count })).toBe(
      'asking questions, 44 %: 12 of 32 answers',
    );
    expect(phaseWords('reference', 20, { fraction: 0 })).toBe('comparing with the start, 0 %');
    expect(phaseWords('update', 20, { fraction: 0.5 })).toBe('learning, 50 %');
  });
});
