import { describe, expect, it } from 'vitest';
import { computeAdvantages, type AdvantageInput } from '../../src/objective/advantages';
import { algorithms, resolveAlgorithm, type AlgorithmSettings } from '../../src/objective/algorithm';
import { estimateKl, klSlope, nextKlCoefficient } from '../../src/objective/kl';
import { policyLoss } from '../../src/objective/loss';
import { expectRows, expectWithin } from '../rl/close';
import { golden } from './golden';

const { R, group, lp_old: old, lp_ref: reference, lp_new: fresh, beta, clip } = golden.inputs;
const rollouts: AdvantageInput[] = R.map((reward, i) => ({
  reward,
  group: group[i],
  logprobs: old[i],
  refLogprobs: reference[i],
}));
const klInReward = { place: 'reward', coefficient: beta } as const;

describe('advantages agree with the reference implementations', () => {
  for (const [row, settings] of [
    ['rpp_gamma1.0_openrlhf', { name: 'reinforce++', gamma: 1, kl: klInReward }],
    ['rpp_gamma1.0_verl', { name: 'reinforce++', gamma: 1, kl: klInReward, convention: 'verl' }],
    ['rpp_gamma0.9_openrlhf', { name: 'reinforce++', gamma: 0.9, kl: klInReward }],
    ['rpp_gamma0.9_verl', { name: 'reinforce++', gamma: 0.9, kl: klInReward, convention: 'verl' }],
    ['rpp_baseline_openrlhf', { name: 'reinforce++-baseline', kl: klInReward }],
    // The baseline variant ignores gamma.
    ['rpp_baseline_openrlhf', { name: 'reinforce++-baseline', kl: klInReward, gamma: 0.5 }],
    ['rpp_baseline_verl', { name: 'reinforce++-baseline', kl: klInReward, convention: 'verl' }],
    ['rpp_beta0_openrlhf', { name: 'reinforce++' }],
    ['rpp_beta0_verl', { name: 'reinforce++', convention: 'verl' }],
  ] as const satisfies readonly (readonly [keyof typeof golden, AlgorithmSettings])[]) {
    it(`in ${row}`, () => expectRows(computeAdvantages(rollouts, settings), golden[row]));
  }

  it('adds the divergence of the baseline variant to the loss and not to the return, as OpenRLHF’s script does', () => {
    const settings = algorithms['reinforce++-baseline'];
    const outcomeOnly = computeAdvantages(rollouts, { name: settings.name });
    expect(computeAdvantages(rollouts, settings)).toEqual(outcomeOnly);
    const lossWith = (algorithm: AlgorithmSettings): number =>
      policyLoss(old, old, reference, outcomeOnly, algorithm).loss;
    const k2: number[] = golden.k2.flat();
    expectWithin(
      1e-12,
      lossWith(settings) - lossWith({ name: settings.name }),
      (1e-5 * k2.reduce((sum, value) => sum + value, 0)) / k2.length,
    );
  });

  for (const [row, name] of [
    ['grpo', 'grpo'],
    ['grpo', 'dapo'],
    ['dr_grpo', 'dr-grpo'],
    ['rloo', 'rloo'],
  ] as const) {
    it(`for one group of four under ${name}`, () => {
      const four = golden.group4.rewards.map((reward) => ({ reward, group: 0, logprobs: [-1] }));
      expectRows(
        computeAdvantages(four, { name }),
        golden.group4[row].map((value) => [value]),
      );
    });
  }

  it('masks the divergence before the return accumulates', () => {
    const settings: AlgorithmSettings = {
      name: 'reinforce++',
      gamma: 0.9,
      kl: { place: 'reward', coefficient: 1 },
    };
    // The first rollout has divergence 1 at every token, the second 0. The unmasked returns are -1.729, -1 and 0 before
    // whitening.
    const values = [golden.miles_1383, -1, 0];
    const mean = values.reduce((sum, value) => sum + value, 0) / 3;
    const deviation = Math.sqrt(values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / 3);
    const [masked] = computeAdvantages(
      [
        { reward: 0, group: 0, logprobs: [0, 0, 0, 0], refLogprobs: [-1, -1, -1, -1], mask: [1, 0, 0, 1] },
        { reward: 0, group: 1, logprobs: [0], refLogprobs: [0] },
      ],
      settings,
    );
    expectWithin(1e-6, masked[0], (golden.miles_1383 - mean) / deviation);
    expectWithin(1e-6, masked[3], (-1 - mean) / deviation);
  });
});

describe('the loss agrees with the reference implementations', () => {
  const advantages = golden['rpp_gamma1.0_openrlhf'];
  const rows = golden.loss_A_openrlhf_gamma1;
  const lossOf = (aggregation: AlgorithmSettings['aggregation']): ReturnType<typeof policyLoss> =>
    policyLoss(fresh, old, null, advantages, {
      name: 'reinforce++',
      clipLow: clip,
      clipHigh: clip,
      aggregation,
    });

  for (const [aggregation, expected] of [
    ['token-mean', rows.token_mean],
    ['sequence-mean', rows.seq_mean_token_mean],
    ['sequence-sum', rows.seq_mean_token_sum],
    ['constant-length', rows.dr_grpo_const_L4],
  ] as const) {
    it(`averaged by ${aggregation}`, () => expectWithin(1e-6, lossOf(aggregation).loss, expected));
  }

  it('in its clip fraction and its gradient', () => {
    const report = lossOf('token-mean');
    expectWithin(1e-6, report.clipFraction, rows.clip_frac);
    expectRows(report.gradient, rows.grad_wrt_logp_new_token_mean);
  });

  it('on the first update: the loss is 0 and the gradient is not', () => {
    const report = policyLoss(old, old, null, advantages, { name: 'reinforce++' });
    expectWithin(1e-6, report.loss, golden.onpolicy_token_mean_loss);
    expectRows(report.gradient, golden.onpolicy_grad);
    expect(report.clipFraction).toBe(0);
  });

  it('in each estimate of the divergence', () => {
    const estimates = (estimator: 'k1' | 'k2' | 'k3'): number[][] =>
      old.map((row, i) => row.map((value, token) => estimateKl(estimator, value - reference[i][token])));
    expectRows(estimates('k1'), golden.kl_tok_k1);
    expectRows(estimates('k2'), golden.k2);
    expectRows(estimates('k3'), golden.k3);
    const ofKl = [estimateKl, klSlope].map((value) => [-12, 9, 12].map((logRatio) => value('k1', logRatio)));
    expect(ofKl).toEqual([
      [-10, 9, 10],
      [0, 1, 0],
    ]);
  });

  it('in the token-mean of the divergence', () => {
    const report = policyLoss(old, old, reference, advantages, { name: 'reinforce++' });
    expectWithin(1e-6, report.kl!, golden.kl_mean_token);
  });

  it.each([
    ['reinforce++-baseline', 'loss', 'k2'],
    ['reinforce++', 'loss', 'k3'],
    ['grpo', 'reward', 'k1'],
  ] as const)('in the default estimate of %s with the divergence in the %s', (name, place, estimator) => {
    expect(resolveAlgorithm({ name, kl: { place } }).kl.estimator).toBe(estimator);
  });

  it('in the adaptive coefficient', () => {
    const { init, current, target, horizon, n } = golden.adaptive_kl;
    const next = (measured: number, wanted: number): number =>
      nextKlCoefficient(init, measured, n, { target: wanted, horizon });
    expectWithin(1e-6, next(current, target), golden.adaptive_kl.new);
    // 10 % below the target, and more than 20 % below it.
    expectWithin(1e-12, next(0.9 * target, target), init * (1 - (0.1 * n) / horizon));
    expectWithin(1e-12, next(0, target), init * (1 - (0.2 * n) / horizon));
    expect(next(current, 0)).toBe(init);
  });
});

/**
 * Expected values for settings beyond the six algorithms, rounded to 1e-6. A PyTorch script computed them with the formulas
 * of TRL's `grpo_trainer.py` (commit f2cd577) and of OpenRLHF's `experience_maker.py` (commit 3c3be62).
 */
const goldenSettings = {
  batchScale: {
    rewards: [1.1, 0.1, 0, 1.1, 0.3, 0.9],
    group: [0, 0, 1, 1, 2, 2],
    advantages: [0.984817, -0.984817, -1.083298, 1.083298, -0.59089, 0.59089],
  },
  rlooReturns: [[1, 1.01, 0.99, 1], [-0.99, -1.01], [-1.13, -1.15, -1.1], [1.08]],
} as const;

describe('scaling by the standard deviation of the batch', () => {
  const { rewards, group: groups, advantages } = goldenSettings.batchScale;
  const batch = (values: readonly number[]): AdvantageInput[] =>
    values.map((reward, i) => ({ reward, group: groups[i], logprobs: [-1] }));

  it.each(['grpo', 'dr-grpo', 'dapo'] as const)('agrees with TRL for %s', (name) => {
    expectRows(
      computeAdvantages(batch(rewards), { name, scale: 'batch' }),
      advantages.map((value) => [value]),
    );
  });

  it('overrides the scale of an algorithm in both directions', () => {
    expect(computeAdvantages(batch(rewards), { name: 'grpo', scale: 'none' })).toEqual(
      computeAdvantages(batch(rewards), { name: 'dr-grpo' }),
    );
    expect(computeAdvantages(batch(rewards), { name: 'dr-grpo', scale: 'group' })).toEqual(
      computeAdvantages(batch(rewards), { name: 'grpo' }),
    );
  });
});

it('RLOO with the divergence of each token in the return has the returns of OpenRLHF, with any gamma', () => {
  const kl = { ...klInReward, credit: 'token' } as const;
  for (const gamma of [1, 0.5])
    expectRows(computeAdvantages(rollouts, { name: 'rloo', kl, gamma }), goldenSettings.rlooReturns);
  for (const row of computeAdvantages(rollouts, { name: 'rloo', kl: klInReward }))
    expect(new Set(row).size).toBe(1);
});
