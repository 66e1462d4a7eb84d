import { describe, expect, it } from 'vitest';
import { computeAdvantages, type AdvantageInput } from '../../src/objective/advantages';
import type { AlgorithmName } from '../../src/objective/algorithm';
import { expectRows } from '../rl/close';
import { golden } from './golden';

/**
 * Numbers for the settings beyond the six names, rounded to 1e-6: those of TRL's `grpo_trainer.py` (commit f2cd577) and of
 * OpenRLHF's `experience_maker.py` (commit 3c3be62), whose lines were written out once more in PyTorch.
 */
const goldenSettings = {
  trl: {
    batchScale: {
      rewards: [1.1, 0.1, 0, 1.1, 0.3, 0.9],
      group: [0, 0, 1, 1, 2, 2],
      advantages: [0.984817, -0.984817, -1.083298, 1.083298, -0.59089, 0.59089],
    },
  },
  openrlhf: {
    rlooReturns: [[1, 1.01, 0.99, 1], [-0.99, -1.01], [-1.13, -1.15, -1.1], [1.08]],
  },
} as const;

const { R, group, lp_old: old, lp_ref: reference, beta } = golden.inputs;
const rollouts: AdvantageInput[] = R.map((reward, i) => ({
  reward,
  group: group[i],
  logprobs: old[i],
  refLogprobs: reference[i],
}));

describe('scaling by the deviation of the batch', () => {
  const { rewards, group: groups, advantages } = goldenSettings.trl.batchScale;
  const batch = (values: readonly number[]): AdvantageInput[] =>
    values.map((reward, i) => ({ reward, group: groups[i], logprobs: [-1] }));

  it.each(['grpo', 'dr-grpo', 'dapo'] as const)('is TRL’s under %s', (name) => {
    expectRows(
      computeAdvantages(batch(rewards), { name, scale: 'batch' }),
      advantages.map((value) => [value]),
    );
  });

  it('of rewards that are all equal leaves nothing to learn, with a baseline or without', () => {
    for (const name of ['grpo', 'reinforce++', 'rloo'] as AlgorithmName[]) {
      for (const scale of ['batch', 'group'] as const) {
        const rows = computeAdvantages(batch([2, 2, 2, 2, 2, 2]), { name, scale });
        expect(rows.flatMap((row) => [...row]).map((value) => value + 0)).toEqual([0, 0, 0, 0, 0, 0]);
      }
    }
  });

  it('can be taken from a name as it can be given to one', () => {
    expect(computeAdvantages(batch(rewards), { name: 'grpo', scale: 'none' })).toEqual(
      computeAdvantages(batch(rewards), { name: 'dr-grpo' }),
    );
    expect(computeAdvantages(batch(rewards), { name: 'dr-grpo', scale: 'group' })).toEqual(
      computeAdvantages(batch(rewards), { name: 'grpo' }),
    );
  });
});

describe('RLOO with the divergence of each token in the return', () => {
  it('has OpenRLHF’s returns', () => {
    const kl = { place: 'reward', coefficient: beta, credit: 'token' } as const;
    expectRows(computeAdvantages(rollouts, { name: 'rloo', kl }), goldenSettings.openrlhf.rlooReturns);
  });

  it('is undiscounted whatever gamma is, and keeps the sum over the response where nothing is set', () => {
    const kl = { place: 'reward', coefficient: beta } as const;
    const byToken = { name: 'rloo', kl: { ...kl, credit: 'token' } } as const;
    expect(computeAdvantages(rollouts, { ...byToken, gamma: 0.5 })).toEqual(
      computeAdvantages(rollouts, byToken),
    );
    for (const row of computeAdvantages(rollouts, { name: 'rloo', kl })) expect(new Set(row).size).toBe(1);
  });
});
