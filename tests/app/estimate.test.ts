import { describe, expect, it } from 'vitest';
import { estimateSeconds } from '../../src/app/sweeps/estimate';
import { presets } from '../../src/run/presets';
import type { Evaluation } from '../../src/run/evaluation';

/** Two steps of 64 completions, 6.4 s each of which 3.2 s are sampling, and held-out sets as large as the set of a look. */
const evaluation = { every: 10, items: 200, finalItems: 500, seed: 7, patience: 0 };
const base = { ...presets['micro-collapse'], steps: 20, evaluation };
const step = { step_time: 6.4, 'time/rollout': 3.2 };
const asked = { overall: { count: 500 }, heldOut: { order4: { count: 100 }, reentry: { count: 100 } } };
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
    // 20 steps of 6.4 s; one look of 200 questions and 3 times 200 held-out ones; 500 questions at both ends, greedily and
    // sampled, and twice for the forecast, at 0.05 s an answer.
    expect(estimateSeconds([base], [known])).toBeCloseTo(
      20 * 6.4 + (200 + 3 * 200 + 4 * 500 + 2 * 500) * 0.05,
    );
    const fewer = { ...base, steps: 5, evaluation: { ...evaluation, items: 20, finalItems: 20 } };
    expect(estimateSeconds([base, fewer], [known])).toBeCloseTo(
      20 * 6.4 + 3800 * 0.05 + 5 * 6.4 + (2 * 20 + 4 * 20 + 2 * 20) * 0.05,
    );
  });

  it('is not known where a model has not been run here', () => {
    const other = { ...base, model: presets['nano-collapse'].model };
    expect(estimateSeconds([base, other], [known])).toBeNull();
  });
});
