import { describe, expect, it } from 'vitest';
import type { RunConfig } from '../../../src/run/config/config';
import { presets } from '../../../src/run/config/presets';
import { historyOf, type History } from '../../../src/run/record/history';
import { compareArms } from '../../../src/run/sweep/arms';
import { expandSweep, type SweepAxes } from '../../../src/run/sweep/sweep';
import { eventsOf, smallConfig, warmTable } from '../../rl/runs';

const base = smallConfig({ steps: 2, evaluation: { every: 2, items: 8, seed: 7, patience: 0 } });

describe('a sweep', () => {
  it('is the product of its axes, seeds last, each run named by what differs', () => {
    const runs = expandSweep(base, {
      seed: [1, 2],
      reward: ['logic-rl', 'faithful'],
      klCoefficient: [0, 0.05],
    });
    expect(runs.map(({ arm, config }) => `${arm} / ${config.seed}`)).toEqual([
      'logic-rl reward, kl 0 / 1',
      'logic-rl reward, kl 0 / 2',
      'logic-rl reward, kl 0.05 / 1',
      'logic-rl reward, kl 0.05 / 2',
      'faithful reward, kl 0 / 1',
      'faithful reward, kl 0 / 2',
      'faithful reward, kl 0.05 / 1',
      'faithful reward, kl 0.05 / 2',
    ]);
    expect(runs[7].config.reward.preset).toBe('faithful');
    expect(runs[7].config.algorithm.kl.coefficient).toBe(0.05);
    expect(base.seed).toBe(1);
  });

  it('without axes is the base alone', () => {
    expect(expandSweep(base, {})).toEqual([{ arm: '', config: base }]);
  });

  it('varies every axis that it names', () => {
    const [run] = expandSweep(base, {
      model: [{ kind: 'embedded', name: 'ladder-12k' }],
      algorithm: ['grpo'],
      temperature: [0.6],
      learningRate: [0.01],
      dropShortcutRight: [0.5],
      orders: [[1, 2]],
    });
    expect(run.arm).toBe(
      'ladder-12k, grpo, temperature 0.6, learning rate 0.01, shortcut dropped 0.5, orders 12',
    );
    expect(run.config).toMatchObject({
      model: { name: 'ladder-12k' },
      algorithm: { name: 'grpo', aggregation: 'sequence-mean' },
      rollout: { temperature: 0.6 },
      optimizer: { learningRate: 0.01 },
      data: { dropShortcutRight: 0.5, orders: [1, 2] },
    });
  });

  it('gives each size its own learning rate, unless the base or an axis has another', () => {
    const model = (['ladder-12k', 'ladder-398k'] as const).map((name) => ({
      kind: 'embedded' as const,
      name,
    }));
    const middle = presets['ladder-25k'];
    const ratesOf = (config: RunConfig, axes: SweepAxes = {}): number[] =>
      expandSweep(config, { model, ...axes }).map((run) => run.config.optimizer.learningRate);
    const own = ['ladder-12k', 'ladder-398k'].map((name) => presets[name].optimizer.learningRate);
    expect(ratesOf(middle)).toEqual(own);
    expect(own[0]).not.toBe(own[1]);
    const optimizer = { ...middle.optimizer, learningRate: 0.01 };
    expect(ratesOf({ ...middle, optimizer })).toEqual([0.01, 0.01]);
    expect(ratesOf(middle, { learningRate: [0.02] })).toEqual([0.02, 0.02]);
  });

  it('compares its arms over their seeds', async () => {
    const runs = expandSweep(base, { temperature: [1, 0.6], seed: [1, 2] });
    const histories: History[] = [];
    for (const { config } of runs) {
      histories.push(historyOf(await eventsOf(await warmTable(), config)));
    }
    const [hot, cold] = compareArms(runs, histories);
    expect(hot).toMatchObject({ arm: 'temperature 1', runs: 2 });
    expect(cold).toMatchObject({ arm: 'temperature 0.6', runs: 2 });
    const accuracies = [0, 1].map((index) => histories[index].evals.at(-1)!.report.overall.accuracy);
    expect(hot.accuracy.mean).toBeCloseTo((accuracies[0] + accuracies[1]) / 2, 12);
    // Two runs have one degree of freedom: 12.706 times the standard error.
    expect(hot.accuracy.margin).toBeCloseTo((12.706 * Math.abs(accuracies[0] - accuracies[1])) / 2, 10);
    expect(compareArms(runs.slice(0, 1), histories)[0].accuracy.margin).toBeNull();
    // A run that has not ended is left out.
    expect(compareArms(runs, [null, ...histories.slice(1)])[0].runs).toBe(1);
  });
});
