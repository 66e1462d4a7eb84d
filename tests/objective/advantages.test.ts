import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { computeAdvantages, type AdvantageInput } from '../../src/objective/advantages';
import { algorithms, type AlgorithmName } from '../../src/objective/algorithm';

const names = Object.keys(algorithms) as AlgorithmName[];
const value = fc.integer({ min: -200, max: 200 }).map((hundredths) => hundredths / 100);

/** Batches of up to two groups, each with 1 to 4 rollouts of 1 to 5 tokens. */
const batches = fc
  .array(
    fc.integer({ min: 1, max: 5 }).chain((length) =>
      fc.record({
        reward: value,
        logprobs: fc.array(value, { minLength: length, maxLength: length }),
        refLogprobs: fc.array(value, { minLength: length, maxLength: length }),
        mask: fc.array(fc.constantFrom(0, 1), { minLength: length, maxLength: length }),
      }),
    ),
    { minLength: 1, maxLength: 8 },
  )
  .map((rollouts): AdvantageInput[] => rollouts.map((rollout, i) => ({ ...rollout, group: i % 2 })));

describe.each(names)('advantages of %s', (name) => {
  it('do not depend on values at masked tokens, and are 0 there', () => {
    fc.assert(
      fc.property(batches, value, (batch, noise) => {
        const settings = { name, gamma: 0.9, kl: { place: 'reward', coefficient: 0.5 } } as const;
        const disturbed = batch.map((rollout) => ({
          ...rollout,
          logprobs: Array.from(rollout.logprobs, (logprob, token) =>
            rollout.mask![token] === 0 ? logprob + noise : logprob,
          ),
        }));
        const advantages = computeAdvantages(batch, settings);
        expect(computeAdvantages(disturbed, settings)).toEqual(advantages);
        advantages.forEach((row, i) =>
          row.forEach((advantage, token) => {
            if (batch[i].mask![token] === 0) expect(advantage).toBe(0);
          }),
        );
      }),
    );
  });

  it('are exactly 0 when all rewards are equal', () => {
    fc.assert(
      fc.property(batches, value, (batch, reward) => {
        const equal = batch.map((rollout) => ({ ...rollout, reward }));
        const settings = [{}, { convention: 'verl' }, { scale: 'batch' }, { scale: 'group' }] as const;
        for (const changes of settings) {
          for (const row of computeAdvantages(equal, { name, ...changes })) {
            expect(row.every((advantage) => advantage === 0)).toBe(true);
          }
        }
      }),
    );
  });
});

it('advantages clamp the outcome at 10 in the reinforce++ family', () => {
  const batch = (reward: number): AdvantageInput[] => [
    { reward, group: 0, logprobs: [-1] },
    { reward: 0, group: 1, logprobs: [-1, -1] },
  ];
  const name = 'reinforce++';
  const gamma = 0.5;
  expect(computeAdvantages(batch(1e6), { name, gamma })).toEqual(
    computeAdvantages(batch(10), { name, gamma }),
  );
});
