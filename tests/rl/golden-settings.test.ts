import { describe, expect, it } from 'vitest';
import { computeAdvantages, type AdvantageInput } from '../../src/run/advantages';
import type { AlgorithmSettings } from '../../src/run/algorithm';
import type { AlgorithmName } from '../../src/run/config';
import {
  appliedEntropyCoefficient,
  nextEntropyControl,
  type EntropyControl,
} from '../../src/rl/entropy-target';
import { policyLoss, type LossReport } from '../../src/rl/loss';
import { chooseTokens } from '../../src/rl/token-choice';
import { expectRows, expectWithin } from './close';
import { golden } from './golden';
import { goldenSettings } from './golden-settings';

const { R, group, lp_old: old, lp_ref: reference, lp_new: fresh, beta } = golden.inputs;
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

describe('other bounds of the ratio', () => {
  const { clipLow, clipHigh, advantages, outcomes } = goldenSettings.inputs;
  const lossOf = (
    changes: Partial<AlgorithmSettings>,
    judged: readonly (readonly number[])[] = advantages,
  ): LossReport =>
    policyLoss(fresh, old, null, judged, { name: 'reinforce++', clipLow, clipHigh, ...changes });

  it('GSPO’s loss and gradient are verl’s: one ratio per response, the geometric mean of its tokens’', () => {
    const byResponse = old.map((row, i) => row.map(() => outcomes[i]));
    const report = lossOf({ ratio: 'sequence-mean' }, byResponse);
    expectWithin(1e-6, report.loss, goldenSettings.verl.gspo.loss);
    expectRows(report.gradient, goldenSettings.verl.gspo.gradient);
    // A tight range clips the second response alone: 2 tokens of 10, at a ratio of .905 and a negative advantage.
    expect(lossOf({ ratio: 'sequence-mean', clipLow: 0.05 }, byResponse).clipFraction).toBeCloseTo(0.2, 12);
  });

  it('GSPO goes without a dual clip, by verl’s convention too', () => {
    const far = policyLoss([[0]], [[-5]], null, [[-1]], {
      name: 'grpo',
      ratio: 'sequence-mean',
      convention: 'verl',
    });
    expect(far.loss).toBeCloseTo(Math.exp(5), 6);
  });

  it('CISPO’s loss, gradient and clip fraction are verl’s', () => {
    const report = lossOf({ surrogate: 'cispo' });
    expectWithin(1e-6, report.loss, goldenSettings.verl.cispo.loss);
    expectRows(report.gradient, goldenSettings.verl.cispo.gradient);
    expectWithin(1e-6, report.clipFraction, goldenSettings.verl.cispo.clipFraction);
  });

  it('SAPO’s loss and gradient are verl’s', () => {
    const report = lossOf({ surrogate: 'sapo', aggregation: 'sequence-mean' });
    expectWithin(1e-6, report.loss, goldenSettings.verl.sapo.loss);
    expectRows(report.gradient, goldenSettings.verl.sapo.gradient);
    expect(report.clipFraction).toBe(0);
  });

  it('all have the plain policy gradient where the ratio is 1', () => {
    const onPolicy = (changes: Partial<AlgorithmSettings>): Float64Array[] =>
      policyLoss(old, old, null, advantages, { name: 'reinforce++', ...changes }).gradient;
    const plain = onPolicy({});
    for (const surrogate of ['cispo', 'sapo'] as const)
      expectRows(
        onPolicy({ surrogate }),
        plain.map((row) => [...row]),
      );
  });
});

describe('tokens treated otherwise than the rest', () => {
  const { clipLow, clipHigh, advantages, entropies } = goldenSettings.inputs;
  const draw = { seed: 1, step: 1 };
  const masks = old.map(() => undefined);
  const input = { logprobs: fresh, entropies, advantages, masks };
  const inverted = (rows: readonly ArrayLike<number>[]): number[][] =>
    rows.map((row) => Array.from(row, (value) => 1 - value));
  const clipCov = {
    name: 'reinforce++',
    surrogate: 'clip-cov',
    covarianceFraction: 0.9,
    covarianceLow: 0.05,
    covarianceHigh: 0.4,
    clipLow,
    clipHigh,
  } as const;
  const klCov = { name: 'reinforce++', surrogate: 'kl-cov', covarianceFraction: 0.35 } as const;

  it.each([0.35, 0.2, 0] as const)(
    'are TRL’s tokens of the highest entropy, a fraction of %d',
    (fraction) => {
      const choice = chooseTokens(input, { name: 'grpo', topEntropyFraction: fraction }, draw)!;
      expectRows(choice.policy, goldenSettings.trl.topEntropy[fraction].chosen);
      expect(choice.pulled.flatMap((row) => [...row]).some((value) => value !== 0)).toBe(false);
    },
  );

  it('keep KL where the policy term and the entropy bonus are left out, as in TRL', () => {
    const settings = {
      name: 'dapo',
      topEntropyFraction: 0.35,
      entropyCoefficient: 0.05,
      kl: { place: 'loss', coefficient: 0.1, estimator: 'k3' },
    } as const;
    const choice = chooseTokens(input, settings, draw);
    const report = policyLoss(fresh, old, reference, advantages, settings, { entropies, choice });
    expectWithin(1e-6, report.loss, goldenSettings.trl.topEntropyLoss.loss);
    expectRows(report.gradient, goldenSettings.trl.topEntropyLoss.gradient);
    expectRows(report.entropyGradient, goldenSettings.trl.topEntropyLoss.entropyGradient);
  });

  it('are Clip-Cov’s where the covariance lies between its bounds, and its loss is verl’s', () => {
    const choice = chooseTokens(input, clipCov, draw)!;
    expectRows(inverted(choice.policy), goldenSettings.verl.clipCov.chosen);
    const { chosenOffPolicy, loss, gradient } = goldenSettings.verl.clipCov;
    const report = policyLoss(fresh, old, null, advantages, clipCov, {
      choice: { ...choice, policy: inverted(chosenOffPolicy).map((row) => Uint8Array.from(row)) },
    });
    expectWithin(1e-6, report.loss, loss);
    expectRows(report.gradient, gradient);
  });

  it('are drawn at random by Clip-Cov where there are more of them than its share, the same in the same step', () => {
    const few = { ...clipCov, covarianceFraction: 0.2 };
    const drawn = (step: number): string =>
      JSON.stringify(inverted(chooseTokens(input, few, { seed: 1, step })!.policy));
    const all = Array.from({ length: 20 }, (_, step) => drawn(step));
    expect(drawn(7)).toBe(all[7]);
    expect(new Set(all).size).toBeGreaterThan(2);
    for (const choice of all) expect(choice.match(/1/g)).toHaveLength(2);
  });

  it('are KL-Cov’s of the highest covariance, and its loss is verl’s', () => {
    const choice = chooseTokens(input, klCov, draw)!;
    expectRows(choice.pulled, goldenSettings.verl.klCov.chosen);
    const report = policyLoss(fresh, old, null, advantages, klCov, { choice });
    expectWithin(1e-6, report.loss, goldenSettings.verl.klCov.loss);
    expectRows(report.gradient, goldenSettings.verl.klCov.gradient);
  });

  it('are at least one, and none where nothing is asked', () => {
    const least = { ...klCov, covarianceFraction: 1e-6 };
    expect(chooseTokens(input, least, draw)!.pulled.flatMap((row) => [...row])).toEqual([
      0, 0, 0, 0, 1, 0, 0, 0, 0, 0,
    ]);
    expect(chooseTokens(input, { name: 'grpo' }, draw)).toBeNull();
  });

  it('must be named to the loss, and have ratios of their own', () => {
    expect(() => policyLoss(fresh, old, null, advantages, klCov)).toThrow('not said which');
    const choice = chooseTokens(input, klCov, draw);
    expect(() =>
      policyLoss(fresh, old, null, advantages, { ...klCov, ratio: 'sequence-mean' }, { choice }),
    ).toThrow('one ratio for the whole response');
  });
});

describe('a target for the entropy', () => {
  it('moves the coefficient as TRL’s adaptive control does, and applies it only under the target', () => {
    const settings = { entropyTarget: 0.2, entropyStep: 0.005 };
    let control: EntropyControl = { coefficient: 0.01, last: null };
    for (const [entropy, applied, after] of goldenSettings.trl.entropyTarget) {
      expectWithin(1e-12, appliedEntropyCoefficient(control, settings), applied);
      control = nextEntropyControl(control, entropy, settings);
      expectWithin(1e-12, control.coefficient, after);
    }
  });

  it('stays where it is after an update without tokens, and without a target', () => {
    const control = { coefficient: 0.1, last: 0.5 };
    expect(nextEntropyControl(control, null, { entropyTarget: 0.2, entropyStep: 0.1 })).toBe(control);
    expect(nextEntropyControl(control, 0.1, { entropyTarget: 0, entropyStep: 0.1 })).toBe(control);
    expect(appliedEntropyCoefficient(control, { entropyTarget: 0 })).toBe(0.1);
  });

  it('keeps the coefficient between 0 and 1', () => {
    const settings = { entropyTarget: 0.2, entropyStep: 0.75 };
    const low = nextEntropyControl({ coefficient: 0.9, last: null }, 0.1, settings);
    expect(low.coefficient).toBe(1);
    expect(nextEntropyControl({ coefficient: 0.5, last: null }, 0.3, settings).coefficient).toBe(0);
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
