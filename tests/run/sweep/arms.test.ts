import { describe, expect, it } from 'vitest';
import { wilson } from '../../../src/reward/accuracy';
import type { History } from '../../../src/run/record/history';
import { compareArms, pairArms } from '../../../src/run/sweep/compare-arms';
import { presets } from '../../../src/run/config/presets';
import { expandSweep } from '../../../src/run/sweep/sweep';
import { toOutcomeTable } from '../../../src/run/verdict/outcomes';
import { evalReport, verdict } from '../verdict/verdicts';

const base = presets['swap-shortcut'];
const runs = expandSweep(base, { reward: ['logic-rl', 'faithful'], seed: [1, 2, 3] });

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
    const [{ arm, against, seeds, differences }] = pairArms(runs, histories);
    expect({ arm, against, seeds }).toEqual({
      arm: 'faithful reward',
      against: 'logic-rl reward',
      seeds: [1, 2, 3],
    });
    expect(differences.accuracy!.mean).toBeCloseTo(0.03, 12);
    // Two degrees of freedom: 4.303 standard errors of 1, 0 and -1 points around the mean.
    expect(differences.accuracy!.margin).toBeCloseTo((4.303 * 0.01) / Math.sqrt(3), 10);
    const [one, other] = compareArms(runs, histories);
    expect(one.accuracy!.mean + one.accuracy!.margin!).toBeGreaterThan(other.accuracy!.mean);
    // A figure that one of the two has not got makes no pair.
    expect(differences.faithful!.mean).toBeCloseTo(0.05, 12);
    const [withoutFirst] = pairArms(runs, [null, ...histories.slice(1)]);
    expect(withoutFirst).toMatchObject({ seeds: [2, 3], differences: { faithful: null } });
  });

  it('make no pair of a seed that ended in one of them alone', () => {
    expect(pairArms(runs, [...histories.slice(0, 4), null, histories[5]])[0].seeds).toEqual([1, 3]);
    expect(pairArms(runs, [...histories.slice(0, 4), null, null])).toEqual([]);
    expect(pairArms([], [])).toEqual([]);
  });

  it('have each run’s value in their spread, and no faithful traces where none were judged', () => {
    const [one, other] = compareArms(runs, histories);
    expect(one).toMatchObject({ arm: 'logic-rl reward', runs: 3, accuracy: { values: [0.4, 0.6, 0.8] } });
    expect(one.accuracy!.mean).toBeCloseTo(0.6, 12);
    expect(one.accuracy!.margin).toBeCloseTo((4.303 * 0.2) / Math.sqrt(3), 10);
    expect(one.accuracyChange!.mean).toBeCloseTo(0.1, 12);
    expect(one.trueStatements!.values).toEqual([0.2, 0.3, 0.4]);
    expect(one.faithful!.values).toEqual([0.1, 0.2, 0.3]);
    expect(one.faithfulChange!.mean).toBeCloseTo(-0.2, 12);
    expect(one.faithfulHard!.values).toEqual([0.3, 0.3, 0.3]);
    expect(other.faithful!.values).toEqual([0.1, 0.3]);
    const [alone] = compareArms(runs.slice(0, 1), [ended(50, null)]);
    expect([alone.faithful, alone.faithfulHard, alone.accuracy!.margin]).toEqual([null, null, null]);
  });
});
