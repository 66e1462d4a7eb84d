import { describe, expect, it } from 'vitest';
import { measuredWords } from '../../../src/app/run/backend-line';
import type { StepRecord } from '../../../src/run/record/events';

const steps = (count: number, seconds: number): StepRecord[] =>
  Array.from({ length: count }, (_, step) => ({
    step: step + 1,
    step_time: seconds - 0.01,
    'time/store': 0.01,
  }));

describe('the speed of a run', () => {
  it('is what its own steps took, keeping included', () => {
    expect(measuredWords(steps(150, 0.5))).toBe('150 steps took 75 s, 0.50 s each, evaluations left out');
    expect(measuredWords(steps(20, 12.4))).toMatch(/, 12 s each, evaluations left out$/);
  });

  it('is not told before a few steps, nor of a run whose records do not say it', () => {
    expect(measuredWords(steps(2, 0.5))).toBe('');
    expect(measuredWords([{ step: 1 }, { step: 2 }, { step: 3 }])).toBe('');
  });
});
