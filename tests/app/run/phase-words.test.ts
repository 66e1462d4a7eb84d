import { describe, expect, it } from 'vitest';
import { phaseWords } from '../../../src/app/run/phase-words';

describe('the words for what a run is at', () => {
  it('stay the same over the steps of a quick run', () => {
    const phases = ['rollout', 'reward', 'reference', 'update'] as const;
    expect(new Set(phases.map((phase) => phaseWords(phase, 0.3, { fraction: 0.5 })))).toEqual(
      new Set(['training']),
    );
    expect(phaseWords('evaluate', 0.3, { fraction: 0.347 })).toBe('evaluating, 34 %');
    const count = { done: 11, total: 60 };
    expect(phaseWords('compile', null, { fraction: 0, count })).toBe('compiling kernel 12 of 60');
  });

  it('tell the two parts of a step where it is slow', () => {
    const before = (['rollout', 'reward', 'reference'] as const).map((phase) =>
      phaseWords(phase, 20, { fraction: 0 }),
    );
    expect(new Set(before)).toEqual(new Set(['sampling and scoring']));
    expect(phaseWords('update', 20, { fraction: 0 })).toBe('changing the model');
  });
});
