import { expect, it } from 'vitest';
import { score } from '../../../src/reward/score';
import { countReflections, stepRecord } from '../../../src/run/record/metrics';
import type { Sample } from '../../../src/run/record/sample';
import { outcomeOf } from '../../../src/run/verdict/outcomes';
import { generateDataset } from '../../../src/tom/worlds/generate';

const [item] = generateDataset({
  ...{ source: 'swap', orders: [1], dropShortcutRight: 0, reentry: false },
  ...{ count: 1, seed: 3 },
});

function sampleOf(completion: string, sample: number): Sample {
  return {
    ...{ item, group: 0, sample, prompt: [1], response: [1, 2], samplerLogprobs: new Float32Array(2) },
    ...{
      finished: true,
      completion,
      reward: score(completion, item, { preset: 'faithful' }),
      thinkTokens: 1,
    },
  };
}

const recordOf = (completions: readonly string[]) =>
  stepRecord({
    ...{ step: 1, samples: completions.map(sampleOf), learningRate: 1, klCoefficient: 0, numTokens: 6 },
    update: { loss: 0, kl: null, entropy: 1, clipFraction: 0, gradNorm: 1, samplerGap: { mean: 0, max: 0 } },
    ...{
      sampledTokens: 4,
      resampled: 0,
      padded: 0,
      times: { rollout: 1, reward: 1, reference: 0, update: 1 },
    },
  });

it('a step without a statement has no fraction of true ones', () => {
  const silent = recordOf([item.traces!.direct!, item.traces!.direct!]);
  expect(silent).not.toHaveProperty(['trace/validity']);
  expect(silent).toMatchObject({ 'trace/coverage': 0 });
  expect(recordOf(['so ann ; </think>'])).toMatchObject({ 'trace/validity': 0 });
});

it('a step has a metric of every part of its rewards, whichever sample is the first', () => {
  const completions = ['without an answer', item.traces!.full!];
  const [one, other] = [completions, completions.toReversed()].map(recordOf);
  expect(one).toEqual(other);
  expect(one).toMatchObject({ 'rewards/answer/mean': 0.5, 'rewards/trace/mean': 1 });
  // The answer without statements counts 0.
  expect(one['trace/validity']).toBe(0.5);
  const parts = Object.keys(one).filter((name) => /^rewards\/.*\/mean$/.test(name));
  expect(parts.reduce((sum, name) => sum + one[name], 0)).toBeCloseTo(one.reward, 12);
});

it('a step has the times, speeds and means of its samples, and no metric without a case', () => {
  const record = recordOf(['without an answer', item.traces!.full!]);
  expect(record).toMatchObject({
    ...{ step_time: 0.003, 'time/rollout': 0.001, 'time/reference': 0 },
    ...{ 'tokens_per_second/rollout': 4000, 'tokens_per_second/train': 6000 },
    ...{ accuracy: 0.5, 'accuracy/order_1': 0.5, format: 0.5, frac_reward_zero_std: 0 },
    ...{ 'completions/clipped_ratio': 0, 'completions/mean_terminated_length': 2 },
    ...{ 'think/mean_length': 1, 'clip_ratio/region_mean': 0 },
  });
  expect(record['rewards/answer/std']).toBeGreaterThan(0);
  for (const name of ['kl', 'padded_prompts', 'accuracy/order_0']) expect(record).not.toHaveProperty([name]);
  expect(recordOf(['without an answer', 'another'])).toMatchObject({ frac_reward_zero_std: 1 });
});

it.each([
  ['faithful', item.traces!.full!],
  ['partial', item.traces!.short!],
  ['false', `tin tin ${item.traces!.direct!}`],
  ['empty', item.traces!.direct!],
  ['empty', `; ${item.traces!.direct!}`],
  ['cut', 'tin tin'],
])('the outcome of a trace is %s: %s', (outcome, completion) => {
  expect(outcomeOf(sampleOf(completion, 0)).trace).toBe(outcome);
});

it('self-reflection words count as whole words, in any case and across a line end', () => {
  expect(countReflections('Wait, the box. Hmm, actually no.\nLet me\ncheck: however ...')).toBe(5);
  expect(countReflections('The waiter lets them await in the waiting_room. Let me go.')).toBe(0);
  expect(countReflections('')).toBe(0);
});
