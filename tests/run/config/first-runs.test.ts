/** Promises of the presets for a first run on a real model. */
import { describe, expect, it } from 'vitest';
import { isEvaluatedAt, isStartEvaluatedLater } from '../../../src/run/config/evaluation-plan';
import { presets, watchWords } from '../../../src/run/config/presets';
import { differences } from '../../../src/run/config/fields';
import { usesReference } from '../../../src/objective/algorithm';

const first = presets['first-run-135m'];
const small = presets['first-run-0.5b'];

describe('a first run', () => {
  it.each([
    [first.preset, first, [0, 4, 8, 12]],
    [small.preset, small, [0, 40, 52]],
  ])(
    'has no KL, and is evaluated at both ends and after its warm start, step 0 later: %s',
    (_, config, expected) => {
      expect(usesReference(config.algorithm)).toBe(false);
      expect(isStartEvaluatedLater(config)).toBe(true);
      const steps = Array.from({ length: config.steps + 1 }, (_, step) => step);
      expect(steps.filter((step) => isEvaluatedAt(step, config))).toEqual(expected);
    },
  );

  it('of a large model without such a start is evaluated first', () => {
    expect(isStartEvaluatedLater(presets['tom-rl'])).toBe(false);
    expect(isStartEvaluatedLater(presets['ladder-25k'])).toBe(true);
  });

  it.each([
    ['first-run-135m-rare-shortcut', 'data.rho', '0.45'],
    ['first-run-135m-faithful', 'reward.preset', 'faithful'],
    ['first-run-135m-short', 'algorithm.lengthPenalty', '1'],
  ])('differs from its what-if %s in one thing', (name, path, value) => {
    const changed = differences(presets[name], first);
    changed.delete('preset');
    expect([...changed]).toEqual([[path, value]]);
    expect(watchWords[name]).toContain('in one trial');
  });

  it('starts from an adapter that a run of the same model, shape and stories has made', () => {
    const { model, training, data, rollout, steps, warmStart } = presets['start-135m'];
    expect(first.training).toEqual({ ...training, adapter: 'ships:rooms-135m' });
    expect(model).toEqual(first.model);
    // The start is not rewarded: a trace that is cut off costs it nothing.
    expect({ ...rollout, maxNewTokens: 128 }).toEqual(first.rollout);
    expect(data).toEqual({ ...first.data, rho: 0.5 });
    expect(warmStart?.updates).toBe(steps);
  });
});
