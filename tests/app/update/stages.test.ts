import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { workedWords } from '../../../src/app/update/comparison';
import { stagesOf, uniformGroups } from '../../../src/app/update/stages';
import { batchOf, type StepBatch } from '../../../src/run/recording/step-batch';
import { algorithms, type AlgorithmName } from '../../../src/objective/algorithm';
import { rollout } from '../../share/run-content';

const names = Object.keys(algorithms) as AlgorithmName[];

/** Two prompts of two samples each. */
const batch: StepBatch = {
  step: 1,
  groups: [0, 0, 1, 1],
  rewards: [3, -1, 2, 2],
  tokens: [10, 10, 10, 10],
  advantages: [0, 0, 0, 0],
};
const rounded = (values: readonly number[]): number[] => values.map((value) => Number(value.toFixed(4)));

describe('the rewards of a step', () => {
  it('are compared with the whole batch by REINFORCE++, by tokens, so that longer completions count more', () => {
    const { centred, scaled } = stagesOf(batch, algorithms['reinforce++']);
    expect(rounded(centred)).toEqual([1.5, -2.5, 0.5, 0.5]);
    expect(rounded(scaled)).toEqual([1, -1.6667, 0.3333, 0.3333]);
    const longer = { ...batch, tokens: [30, 10, 10, 10] };
    expect(rounded(stagesOf(longer, algorithms['reinforce++']).centred)).toEqual([1, -3, 0, 0]);
  });

  it('are told in numbers whose difference comes out by hand', () => {
    for (const tokens of [7, 9, 13, 22, 31]) {
      const odd = { ...batch, rewards: [3, -0.5, 3, -0.5], tokens: [tokens, 11, 10, 10] };
      const words = workedWords('reinforce++', 3, stagesOf(odd, algorithms['reinforce++']), 0, 1);
      const [, mean, above] = /batch \(([\d.]+)\) that is \+([\d.]+)/.exec(words)!;
      expect((3 - Number(mean)).toFixed(3)).toBe(Number(above).toFixed(3));
    }
  });

  it('are compared with the other samples of their prompt by GRPO, where equal ones teach nothing', () => {
    const { centred, scaled } = stagesOf(batch, algorithms.grpo);
    expect(rounded(centred)).toEqual([2, -2, 0, 0]);
    expect(rounded(scaled)).toEqual([0.7071, -0.7071, 0, 0]);
    expect(rounded(stagesOf(batch, algorithms['dr-grpo']).scaled)).toEqual([2, -2, 0, 0]);
    expect(rounded(stagesOf(batch, algorithms.rloo).scaled)).toEqual([4, -4, 0, 0]);
    expect(uniformGroups(batch)).toEqual({ uniform: 1, all: 2 });
  });

  it('come to the advantages of the library by one division, under every algorithm', () => {
    const samples = fc.array(fc.tuple(fc.integer({ min: -4, max: 4 }), fc.integer({ min: 1, max: 30 })), {
      minLength: 8,
      maxLength: 8,
    });
    fc.assert(
      fc.property(samples, fc.constantFrom(...names), (drawn, name) => {
        const { centred, scaled } = stagesOf(
          {
            ...batch,
            groups: drawn.map((_, i) => Math.floor(i / 4)),
            rewards: drawn.map(([reward]) => reward),
            tokens: drawn.map(([, tokens]) => tokens),
          },
          algorithms[name],
        );
        const group = name === 'grpo' || name === 'dapo' ? [0, 4] : [0];
        for (const first of group) {
          const members = scaled.slice(first, group.length > 1 ? first + 4 : undefined);
          const largest = members.reduce(
            (best, value, i) => (Math.abs(value) > Math.abs(members[best]) ? i : best),
            0,
          );
          const spread = members[largest] === 0 ? 0 : centred[first + largest] / members[largest];
          members.forEach((value, i) =>
            expect(value * spread).toBeCloseTo(spread === 0 ? 0 : centred[first + i], 6),
          );
        }
      }),
    );
  });

  it('are those of the samples that take part in training', () => {
    const both = [rollout, { ...rollout, finished: false }];
    expect(batchOf(both, true).rewards).toEqual([3]);
    expect(batchOf(both, false).rewards).toEqual([3, 3]);
  });
});

it('samples of a prompt that all earned the same can be pushed by REINFORCE++, and never by GRPO', () => {
  const equal: StepBatch = { ...batch, rewards: [2, 2, -1, -1] };
  expect(stagesOf(equal, algorithms['reinforce++']).scaled[0]).toBeGreaterThan(0);
  expect(stagesOf(equal, algorithms.grpo).scaled).toEqual([0, 0, 0, 0]);
});
