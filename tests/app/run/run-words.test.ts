import { describe, expect, it } from 'vitest';
import { phaseWords } from '../../../src/app/run/run-panel';

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
