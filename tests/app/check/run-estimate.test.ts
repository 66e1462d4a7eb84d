import { describe, expect, it } from 'vitest';
import { secondsAsMeasured } from '../../../src/app/check/run-estimate';
import { presets } from '../../../src/run/config/presets';

/** Two steps of 64 completions, 6.4 s each of which 3.2 s are sampling. */
const evaluation = { every: 10, items: 200, finalItems: 500, seed: 7, patience: 0 };
const rollout = { promptsPerStep: 8, samplesPerPrompt: 8, temperature: 1, maxNewTokens: 48 };
const data = { ...presets['ladder-25k'].data, orders: [0, 1, 2, 3] };
const base = { ...presets['ladder-25k'], steps: 20, rollout, evaluation, data };
const step = { step_time: 6.4, 'time/rollout': 3.2 };
const known = {
  config: base,
  steps: [
    { step: 1, ...step },
    { step: 2, ...step },
  ],
};

describe('the time that a run will take', () => {
  it('is that of its steps and of its evaluations, the one before the first step among them', () => {
    expect(secondsAsMeasured(base, [known])).toBeCloseTo(318); // 128 s of steps, 3,800 answers of 0.05 s
    const fewer = { ...base, steps: 5, evaluation: { ...evaluation, items: 20, finalItems: 20 } };
    expect(secondsAsMeasured(fewer, [known])).toBeCloseTo(40); // 32 s of steps, 160 answers
  });

  it('is not known where its model has not been run here', () => {
    const other = { ...base, model: presets['ladder-12k'].model };
    expect(secondsAsMeasured(other, [known])).toBeNull();
  });
});
