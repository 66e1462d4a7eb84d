import { describe, expect, it } from 'vitest';
import { mean } from '../../src/base/statistics';
import { algorithms, type AlgorithmConfig } from '../../src/objective/algorithm';
import type { OptimizerConfig } from '../../src/run/config/algorithm-config';
import type { RunConfig } from '../../src/run/config/config';
import { eventsOf, lastCheckpoint, ofType, recordsOf, smallConfig, warmTable } from './runs';
import { expectWithin } from './close';

const { optimizer, rollout } = smallConfig();
const withOptimizer = (changes: Partial<OptimizerConfig>, more: Partial<RunConfig> = {}): RunConfig =>
  smallConfig({ steps: 2, optimizer: { ...optimizer, ...changes }, ...more });

it.each<[string, AlgorithmConfig]>([
  ...(['reinforce++', 'grpo', 'dr-grpo', 'rloo'] as const).map((name): [string, AlgorithmConfig] => [
    name,
    algorithms[name],
  ]),
  ['an entropy bonus', { ...algorithms.dapo, entropyCoefficient: 0.1 }],
])('accumulation over micro-batches gives the same step as the whole batch (%s)', async (_, settings) => {
  const algorithm = { algorithm: settings };
  const whole = await eventsOf(await warmTable(), withOptimizer({}, algorithm));
  const parts = await eventsOf(await warmTable(), withOptimizer({ microBatch: 5 }, algorithm));
  const before = lastCheckpoint(whole).policy.parameters;
  lastCheckpoint(parts).policy.parameters.forEach((value, i) => expectWithin(1e-5, value, before[i]));
  recordsOf(parts).forEach((record, i) => {
    expect(Object.keys(record)).toEqual(Object.keys(recordsOf(whole)[i]));
    for (const metric of ['loss', 'kl', 'entropy', 'grad_norm', 'reward']) {
      if (metric in record) expectWithin(1e-5, record[metric], recordsOf(whole)[i][metric]);
    }
  });
});

it('the entropy of a step is the mean over the tokens of all its updates', async () => {
  const policy = await warmTable();
  const entropies: number[] = [];
  const backward: typeof policy.backward = async (...given) => {
    const statistics = await policy.backward(...given);
    for (const row of statistics.entropies) entropies.push(...row);
    return statistics;
  };
  const events = await eventsOf({ ...policy, backward }, withOptimizer({ passes: 2 }, { steps: 1 }));
  expect(recordsOf(events)[0].entropy).toBeCloseTo(mean(entropies), 9);
});

it.each([
  ['grpo', 3, true],
  ['reinforce++', 12, false], // the KL is in the reward, so every advantage needs all log-probabilities
] as const)('the memory of activations determines the parts of %s', async (name, most, isCut) => {
  const settings = withOptimizer({}, { algorithm: algorithms[name], steps: 1 });
  const whole = await eventsOf(await warmTable(), settings);
  const policy = await warmTable();
  const parts: number[] = [];
  const cut = await eventsOf(
    {
      ...policy,
      config: { ...policy.config, hiddenSize: 8192, layers: 24 }, // few sequences fit into memory
      backward: (sequences, ...rest) => {
        parts.push(sequences.length);
        return policy.backward(sequences, ...rest);
      },
    },
    settings,
  );
  const all = rollout.promptsPerStep * rollout.samplesPerPrompt;
  expect(parts.length > 1).toBe(isCut);
  expect(parts.reduce((sum, size) => sum + size, 0)).toBe(all);
  expect(Math.max(...parts)).toBeLessThanOrEqual(most);
  const before = lastCheckpoint(whole).policy.parameters;
  lastCheckpoint(cut).policy.parameters.forEach((value, i) => expectWithin(1e-5, value, before[i]));
});

it('several updates per batch are passes times mini-batches', async () => {
  const updatesOf = async (changes: Partial<OptimizerConfig>): Promise<number> =>
    lastCheckpoint(await eventsOf(await warmTable(), withOptimizer(changes))).policy.updates;
  expect(await updatesOf({})).toBe(2);
  expect(await updatesOf({ passes: 2, miniBatches: 4 })).toBe(16);
});

it('several updates per batch begin at ratio 1 and are then clipped', async () => {
  const clipped = async (passes: number): Promise<number> => {
    const events = await eventsOf(await warmTable(), withOptimizer({ passes, learningRate: 0.3 }));
    return recordsOf(events)[0]['clip_ratio/region_mean'];
  };
  expect(await clipped(1)).toBe(0);
  expect(await clipped(4)).toBeGreaterThan(0.01);
});

describe('terms of the objective', () => {
  it('an entropy bonus keeps the entropy higher', async () => {
    const finalEntropy = async (entropyCoefficient: number): Promise<number> => {
      const algorithm = { ...algorithms['reinforce++'], entropyCoefficient };
      const events = await eventsOf(await warmTable(), smallConfig({ steps: 15, algorithm }));
      return recordsOf(events)[14].entropy;
    };
    expect(await finalEntropy(1)).toBeGreaterThan(await finalEntropy(0));
  });

  it('a KL that is not computed is left out of the record and not watched', async () => {
    const events = await eventsOf(await warmTable(), withOptimizer({}, { algorithm: algorithms['dr-grpo'] }));
    for (const record of recordsOf(events)) {
      expect(record).not.toHaveProperty('kl');
      expect(record.kl_coefficient).toBe(0);
    }
    expect(lastCheckpoint(events).trainer.alerts).toMatchObject({ recent: { kl: [] } });
    const measured = await eventsOf(await warmTable(), withOptimizer({}, { algorithm: algorithms.grpo }));
    expect(recordsOf(measured)[1].kl).toBeGreaterThan(0);
  });

  it('an overlong response and a long one lose reward, as separate parts', async () => {
    const algorithm = { ...algorithms['reinforce++'], overlongBuffer: 10, lengthPenalty: 0.5 };
    const events = await eventsOf(await warmTable(), withOptimizer({}, { algorithm }));
    for (const { tokens, reward } of ofType(events, 'rollouts')[0].rollouts) {
      const parts = Object.fromEntries(reward.parts.map(({ name, value }) => [name, value]));
      const over = Math.min(10, Math.max(0, tokens - (rollout.maxNewTokens - 10)));
      expect(parts.overlong + 0).toBe(-over / 10 + 0);
      expect(parts.length).toBeCloseTo((-0.5 * tokens) / rollout.maxNewTokens, 12);
      const total = Object.values(parts).reduce((sum, value) => sum + value, 0);
      expect(reward.total).toBeCloseTo(total, 12);
    }
  });

  it('masked truncated responses do not affect the update', async () => {
    const trained = async (maskTruncated: boolean, isFinished: boolean): Promise<boolean> => {
      const algorithm = { ...algorithms['dr-grpo'], maskTruncated };
      const short = { algorithm, rollout: { ...rollout, maxNewTokens: 8 } };
      const events = await eventsOf(await warmTable(), withOptimizer({}, short));
      const { rollouts } = ofType(events, 'rollouts')[0];
      return rollouts.some(({ finished, advantage }) => finished === isFinished && advantage !== 0);
    };
    expect(await Promise.all([trained(true, true), trained(true, false)])).toEqual([true, false]);
    expect(await Promise.all([trained(false, true), trained(false, false)])).toEqual([true, true]);
  });
});
