import { describe, expect, it } from 'vitest';
import { estimateSeconds } from '../../src/app/sweeps/estimate';
import { presets } from '../../src/rl/presets';
import type { Evaluation } from '../../src/store/records';

/** Two steps of 64 completions, 6.4 s each of which 3.2 s are sampling, and an evaluation that asked every question twice. */
const base = { ...presets['micro-collapse'], steps: 20 };
const step = { step_time: 6.4, 'time/rollout': 3.2 };
const asked = { overall: { count: 200 }, heldOut: { order4: { count: 100 }, reentry: { count: 100 } } };
const known = {
  config: base,
  steps: [
    { step: 1, ...step },
    { step: 2, ...step },
  ],
  evaluations: [{ report: asked } as unknown as Evaluation],
};

describe('the time that a queue of runs will take', () => {
  it('is that of its steps and of its evaluations, the one before the first step among them', () => {
    // 20 steps of 6.4 s, and 3 evaluations of 400 questions at 0.05 s.
    expect(estimateSeconds([base], [known])).toBeCloseTo(20 * 6.4 + 3 * 400 * 0.05);
    const fewer = { ...base, steps: 5, evaluation: { ...base.evaluation, items: 20 } };
    expect(estimateSeconds([base, fewer], [known])).toBeCloseTo(188 + 5 * 6.4 + 2 * 40 * 0.05);
  });

  it('is not known where a model has not been run here', () => {
    const other = { ...base, model: presets['nano-collapse'].model };
    expect(estimateSeconds([base, other], [known])).toBeNull();
  });
});
