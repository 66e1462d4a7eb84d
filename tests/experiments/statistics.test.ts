import { describe, expect, it } from 'vitest';
import {
  drawItems,
  drawRuns,
  intervalOf,
  probabilityOf,
  resampleMarks,
  resampleRuns,
  sumOfMarks,
  type Marks,
} from '../../scripts/experiments/bootstrap';
import { areaUnderCurve, brier, brierSkill, reliability } from '../../scripts/experiments/forecast-score';
import { holm } from '../../scripts/experiments/holm';
import { fitLogistic, logLoss, predict } from '../../scripts/experiments/logistic';
import { createRandom, type Random } from '../../src/random';

const change = ({ before, after, count }: { before: number; after: number; count: number }): number =>
  (after - before) / count;

function marksOf(random: Random, before: number, after: number, items = 200): Marks {
  const bits = (chance: number): Uint8Array =>
    Uint8Array.from({ length: items }, () => Number(random.uniform() < chance));
  return { before: bits(before), after: bits(after), counted: new Uint8Array(items).fill(1) };
}

describe('the bootstrap over starts, seeds and items', () => {
  it('draws as many starts as there are, and of each as many runs as it has, from that start alone', () => {
    const starts = [
      ['a1', 'a2'],
      ['b1', 'b2'],
      ['c1', 'c2'],
    ];
    const random = createRandom(1);
    const seen = new Set<string>();
    for (let draw = 0; draw < 100; draw++) {
      const runs = drawRuns(starts, random);
      expect(runs).toHaveLength(6);
      for (const [index] of runs.entries()) {
        if (index % 2 === 0) expect(runs[index][0]).toBe(runs[index + 1][0]);
      }
      seen.add(runs.join(''));
    }
    expect(seen.size).toBeGreaterThan(50);
  });

  it('gives the spread of the starts, not that of their runs, where runs of a start agree', () => {
    const starts = Array.from({ length: 8 }, (_, start) => [start % 2, start % 2, start % 2, start % 2]);
    const mean = (values: readonly number[]): number => values.reduce((a, b) => a + b, 0) / values.length;
    const draws = resampleRuns(4000, 1, (random) => mean(drawRuns(starts, random)));
    const deviation = Math.sqrt(mean(Array.from(draws, (draw) => (draw - 0.5) ** 2)));
    expect(deviation).toBeCloseTo(0.5 / Math.sqrt(8), 1.5);
  });

  it('sums exactly the marks of the drawn items', () => {
    const marks: Marks = {
      before: Uint8Array.from([1, 0, 1]),
      after: Uint8Array.from([1, 1, 0]),
      counted: Uint8Array.from([1, 1, 0]),
    };
    const items = { draws: 2, count: 3, indices: Uint16Array.from([0, 0, 1, 2, 2, 1]) };
    expect(resampleMarks([[marks]], items, 1)).toEqual([
      { count: 3, before: 2, after: 3 },
      { count: 1, before: 0, after: 1 },
    ]);
    expect(sumOfMarks([marks])).toEqual({ count: 2, before: 1, after: 2 });
  });

  it('makes no claim of a null, whose p spreads over the unit interval', () => {
    const items = drawItems(200, 300, 2);
    const ps = Array.from({ length: 60 }, (_, study) => {
      const random = createRandom(study, 9);
      const starts = Array.from({ length: 6 }, () => [marksOf(random, 0.5, 0.5), marksOf(random, 0.5, 0.5)]);
      return probabilityOf(resampleMarks(starts, items, study).map(change), (draw) => draw <= 0);
    });
    expect(ps.filter((p) => p <= 0.05).length).toBeLessThanOrEqual(9);
    expect(ps.filter((p) => p < 0.5).length).toBeGreaterThan(15);
    expect(ps.filter((p) => p > 0.5).length).toBeGreaterThan(15);
  });

  it('finds a planted change and holds it in its interval', () => {
    const random = createRandom(5);
    const starts = Array.from({ length: 6 }, () => [marksOf(random, 0.4, 0.6, 500)]);
    const draws = resampleMarks(starts, drawItems(500, 500, 3), 4).map(change);
    const interval = intervalOf(change(sumOfMarks(starts.flat())), draws);
    expect(interval.low).toBeGreaterThan(0.1);
    expect(interval.low).toBeLessThan(0.2);
    expect(interval.high).toBeGreaterThan(0.2);
    expect(interval.high).toBeLessThan(0.3);
  });

  it('takes the 2.5 and 97.5 percentiles and leaves out undefined draws', () => {
    const draws = [...Array.from({ length: 1001 }, (_, index) => index), NaN];
    expect(intervalOf(7, draws)).toEqual({ value: 7, low: 25, high: 975 });
  });

  it('counts an undefined draw against the claim', () => {
    expect(probabilityOf([1, 1, NaN, -1], (draw) => draw <= 0)).toBe(0.5);
  });
});

describe('Holm’s correction', () => {
  it('agrees with an example by hand', () => {
    // Sorted: .01 x 4, .02 x 3, .03 x 2, .04 x 1; none below the one before it.
    expect(holm([0.03, 0.01, 0.04, 0.02])).toEqual([0.06, 0.04, 0.06, 0.06]);
  });

  it('counts a test that is not made yet', () => {
    expect(holm([0.01, null, null])).toEqual([0.03, 1, 1]);
  });
});

describe('the logistic regression', () => {
  const random = createRandom(11);
  const rows = Array.from({ length: 40 }, () => [random.normal() * 3 + 1, random.normal()]);
  const outcomes = rows.map(([a]) => random.uniform() < 1 / (1 + Math.exp(-a)));

  it('ends where its own loss, ridge with it, has no slope', () => {
    const ridge = 0.1;
    const fit = fitLogistic(rows, outcomes, ridge);
    const loss = ([intercept, ...weights]: number[]): number =>
      rows.reduce(
        (sum, row, index) => sum + logLoss(predict({ ...fit, intercept, weights }, row), outcomes[index]),
        0,
      ) +
      (ridge / 2) * weights.reduce((sum, weight) => sum + weight ** 2, 0);
    const optimum = [fit.intercept, ...fit.weights];
    optimum.forEach((_, index) => {
      const moved = (by: number): number =>
        loss(optimum.map((value, place) => (place === index ? value + by : value)));
      expect((moved(1e-4) - moved(-1e-4)) / 2e-4).toBeCloseTo(0, 5);
      expect(moved(0.1)).toBeGreaterThan(loss(optimum));
    });
    expect(fit.weights[0]).toBeGreaterThan(0.5);
  });

  it('has the optimum of two points that is found by hand', () => {
    // Standardised inputs are -1 and 1 with outcomes no and yes: 2 sigmoid(-w) = ridge w, and no intercept.
    const fit = fitLogistic([[3], [5]], [false, true], 0.5);
    expect(fit.intercept).toBeCloseTo(0, 8);
    expect(2 / (1 + Math.exp(fit.weights[0]))).toBeCloseTo(0.5 * fit.weights[0], 8);
  });

  it('stays finite where all outcomes are the same', () => {
    const fit = fitLogistic([[1], [2], [3]], [true, true, true], 0.1);
    expect(predict(fit, [2])).toBeCloseTo(3.5 / 4, 10);
    expect(predict(fit, [99])).toBeCloseTo(3.5 / 4, 10);
  });
});

describe('the scores of a forecast', () => {
  const forecasts = [
    { probability: 0.9, outcome: true },
    { probability: 0.6, outcome: false },
    { probability: 0.6, outcome: true },
    { probability: 0.1, outcome: false },
  ];

  it('agree with an example by hand', () => {
    expect(brier(forecasts)).toBeCloseTo((0.01 + 0.36 + 0.16 + 0.01) / 4, 12);
    expect(brierSkill(forecasts)).toBeCloseTo(1 - 0.135 / 0.25, 12);
    // Of four pairs three are ordered and one is tied.
    expect(areaUnderCurve(forecasts)).toBe(3.5 / 4);
  });

  it('are 0 and one half for the base rate, and undefined for one kind of outcome', () => {
    const base = forecasts.map(({ outcome }) => ({ probability: 0.5, outcome }));
    expect(brierSkill(base)).toBe(0);
    expect(areaUnderCurve(base)).toBe(0.5);
    expect(brierSkill([forecasts[0]])).toBeNaN();
    expect(areaUnderCurve([forecasts[0]])).toBeNaN();
  });

  it('fall into bins of equal width, 1 into the last', () => {
    const bins = reliability([...forecasts, { probability: 1, outcome: false }], 5);
    expect(bins.map(({ count }) => count)).toEqual([1, 0, 0, 2, 2]);
    expect(bins[3].forecast).toBeCloseTo(0.6, 12);
    expect(bins[3].observed).toBe(0.5);
    expect(bins[4].observed).toBe(0.5);
  });
});
