import { describe, expect, it } from 'vitest';
import { algorithms } from '../../../src/objective/algorithm';
import type { RunConfig } from '../../../src/run/config/config';
import { presets } from '../../../src/run/config/presets';
import { wilson } from '../../../src/reward/accuracy';
import type { History } from '../../../src/run/record/history';
import { compareArms, pairArms } from '../../../src/run/sweep/compare-arms';
import { toOutcomeTable } from '../../../src/run/verdict/outcomes';
import { evalReport, verdict } from '../verdict/verdicts';
import { expandSweep, type SweepAxes } from '../../../src/run/sweep/sweep';
import { runOfSeat, seatName } from '../../../src/run/sweep/seats';
import { refusal } from '../../model/refusal';
import { smallConfig } from '../../rl/runs';

const base = smallConfig({ steps: 2, evaluation: { every: 2, items: 8, seed: 7 } });

describe('a sweep', () => {
  it('is the product of its axes, seeds last, each run named by what differs', () => {
    const runs = expandSweep(base, {
      seed: [1, 2],
      reward: ['logic-rl', 'faithful'],
      klCoefficient: [0, 0.05],
    });
    const names = ['logic-rl', 'faithful'].flatMap((reward) =>
      [0, 0.05].flatMap((kl) => [1, 2].map((seed) => `${reward} reward, kl ${kl} / ${seed}`)),
    );
    expect(runs.map(({ arm, config }) => `${arm} / ${config.seed}`)).toEqual(names);
    expect(runs[7].values).toEqual({ reward: 'faithful', klCoefficient: 0.05 });
    expect(runs[7].config.algorithm.kl.coefficient).toBe(0.05);
  });

  it('over rewards keeps the length settings and the reward function of its base', () => {
    const reward = { preset: 'logic-rl' as const, custom: 'mine', minimumThinkWords: 8 };
    const runs = expandSweep({ ...base, reward }, { reward: ['logic-rl', 'faithful'] });
    expect(runs.map(({ config }) => config.reward)).toEqual([reward, { ...reward, preset: 'faithful' }]);
  });

  it('over algorithms keeps the cost of length, and over models the adapter of the same model alone', () => {
    const short = presets['first-run-135m-short'];
    const costs = expandSweep(short, { algorithm: ['reinforce++', 'dapo'] }).map(
      ({ config }) => config.algorithm.lengthPenalty,
    );
    expect(costs).toEqual([1, 1]);
    const other = { kind: 'embedded', name: 'ladder-12k' } as const;
    const runs = expandSweep(short, { model: [short.model, other] });
    expect(runs[0].arm).toMatch(/^QuantFactory\/\S+ ab810cf$/);
    const [same, without] = runs.map(({ config }) => config.training);
    expect(same).toEqual(short.training);
    expect(short.training).toHaveProperty('adapter');
    expect(without).toEqual({ mode: 'lora', rank: 8, alpha: expect.any(Number) as number });
  });

  it('over KL penalties gives a penalty without a place that of its algorithm, or the loss', () => {
    const places = (['reinforce++', 'grpo', 'dapo'] as const).map((name) => {
      const kl = { ...algorithms[name].kl, place: 'none' as const, coefficient: 0, target: 0.1 };
      const config = { ...base, algorithm: { ...algorithms[name], kl } };
      const [without, penalised] = expandSweep(config, { klCoefficient: [0, 0.05] }).map(
        (run) => run.config.algorithm.kl,
      );
      expect(without).toEqual(kl);
      expect(penalised).toMatchObject({ coefficient: 0.05, target: 0.1 });
      return `${penalised.place} ${penalised.estimator}`;
    });
    expect(places).toEqual(['reward k1', 'loss k3', 'loss k3']);
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
    const names = ['ladder-12k', 'ladder-398k'] as const;
    const model = names.map((name) => ({ kind: 'embedded' as const, name }));
    const middle = presets['ladder-25k'];
    const ratesOf = (config: RunConfig, axes: SweepAxes = {}): number[] =>
      expandSweep(config, { model, ...axes }).map((run) => run.config.optimizer.learningRate);
    const own = names.map((name) => presets[name].optimizer.learningRate);
    expect(ratesOf(middle)).toEqual(own);
    expect(own[0]).not.toBe(own[1]);
    const optimizer = { ...middle.optimizer, learningRate: 0.01 };
    expect(ratesOf({ ...middle, optimizer })).toEqual([0.01, 0.01]);
    expect(ratesOf(middle, { learningRate: [0.02] })).toEqual([0.02, 0.02]);
  });
});

const study = { ...presets['swap-shortcut'], seed: 1501 };
const class25 = { base: study, axes: { reward: ['logic-rl', 'faithful'] as const }, seats: 25 };

describe('a seat of a class', () => {
  it('gives every number a different run, equally many of each arm, and the arms the same seeds', () => {
    const runs = Array.from({ length: 25 }, (_, index) => runOfSeat(class25, String(index + 1)));
    expect(new Set(runs.map(({ arm, config }) => `${arm} ${config.seed}`)).size).toBe(25);
    const seedsOf = (name: string): number[] =>
      runs.filter(({ arm }) => arm === name).map(({ config }) => config.seed);
    expect(seedsOf('logic-rl reward')).toEqual(Array.from({ length: 13 }, (_, index) => 1501 + index));
    expect(seedsOf('faithful reward')).toEqual(Array.from({ length: 12 }, (_, index) => 1501 + index));
    expect(runs[1].config.reward.preset).toBe('faithful');
  });

  it('takes a number with a mark or zeros before it, or a mark behind it, for the number', () => {
    for (const typed of ['7,', '#7', ' 7. ', '(7)', '07', '# 007', '７']) {
      expect(seatName(typed)).toBe('7');
      expect(runOfSeat(class25, typed)).toEqual(runOfSeat(class25, '7'));
    }
  });

  it('varies nothing but the seed where the class has one arm', () => {
    const { arm, config } = runOfSeat({ base: study, axes: {}, seats: 3 }, '3');
    expect({ arm, config }).toEqual({ arm: '', config: { ...study, seed: 1503 } });
    const last = { ...study, seed: 2 ** 32 - 1 };
    expect(runOfSeat({ base: last, axes: {}, seats: 3 }, '2').config.seed).toBe(0);
  });

  it.each([
    ['', /No number was typed/],
    ['7 8', /No number was typed/],
    ['Ada 2', /No number was typed/],
    ['26', /There is no seat 26: this class has the numbers 1 to 25/],
    ['0', /There is no seat 0: /],
  ])('refuses %j and says which numbers there are', (typed, words) => {
    expect(() => runOfSeat(class25, typed)).toThrow(refusal('app/no-seat', words));
  });
});

const seeded = expandSweep(presets['swap-shortcut'], { reward: ['logic-rl', 'faithful'], seed: [1, 2, 3] });

/** A run that ends with `right` right answers of 100, and with the fraction `faithful` of faithful traces. */
function ended(right: number, faithful: number | null): History {
  const report = evalReport({ step: 150, overall: wilson(right, 100), traceValidity: right / 200 });
  const traces = faithful === null ? { outcomes: toOutcomeTable([]) } : { faithful };
  return {
    steps: [{ step: 150 }],
    evals: [{ report: evalReport() }, { report: { ...report, ...traces }, verdict: verdict() }],
    alerts: [],
  };
}

describe('arms that share seeds', () => {
  const histories = [
    ended(60, 0.2),
    ended(40, 0.1),
    ended(80, 0.3),
    ended(63, 0.3),
    ended(42, 0.1),
    ended(84, null),
  ];

  it('are distinguished by their pairs even if their means lie within each other’s intervals', () => {
    const [{ arm, against, seeds, differences }] = pairArms(seeded, histories);
    expect({ arm, against, seeds }).toEqual({
      arm: 'faithful reward',
      against: 'logic-rl reward',
      seeds: [1, 2, 3],
    });
    expect(differences.accuracy!.mean).toBeCloseTo(0.03, 12);
    // Two degrees of freedom: 4.303 standard errors of 1, 0 and -1 points around the mean.
    expect(differences.accuracy!.margin).toBeCloseTo((4.303 * 0.01) / Math.sqrt(3), 10);
    const [one, other] = compareArms(seeded, histories);
    expect(one.accuracy!.mean + one.accuracy!.margin!).toBeGreaterThan(other.accuracy!.mean);
    // A figure that one of the two has not got makes no pair.
    expect(differences.faithful!.mean).toBeCloseTo(0.05, 12);
    const [withoutFirst] = pairArms(seeded, [null, ...histories.slice(1)]);
    expect(withoutFirst).toMatchObject({ seeds: [2, 3], differences: { faithful: null } });
  });

  it('make no pair of a seed that ended in one of them alone', () => {
    expect(pairArms(seeded, [...histories.slice(0, 4), null, histories[5]])[0].seeds).toEqual([1, 3]);
    expect(pairArms(seeded, [...histories.slice(0, 4), null, null])).toEqual([]);
    expect(pairArms([], [])).toEqual([]);
  });

  it('have each run’s value in their spread, and no faithful traces where none were judged', () => {
    const [one, other] = compareArms(seeded, histories);
    expect(one).toMatchObject({ arm: 'logic-rl reward', runs: 3, accuracy: { values: [0.4, 0.6, 0.8] } });
    expect(one.accuracy!.mean).toBeCloseTo(0.6, 12);
    expect(one.accuracy!.margin).toBeCloseTo((4.303 * 0.2) / Math.sqrt(3), 10);
    expect(one.accuracyChange!.mean).toBeCloseTo(0.1, 12);
    expect(one.trueStatements!.values).toEqual([0.2, 0.3, 0.4]);
    expect(one.faithful!.values).toEqual([0.1, 0.2, 0.3]);
    expect(one.faithfulChange!.mean).toBeCloseTo(-0.2, 12);
    expect(one.faithfulHard!.values).toEqual([0.3, 0.3, 0.3]);
    expect(other.faithful!.values).toEqual([0.1, 0.3]);
    const [alone] = compareArms(seeded.slice(0, 1), [ended(50, null)]);
    expect([alone.faithful, alone.faithfulHard, alone.accuracy!.margin]).toEqual([null, null, null]);
  });
});
