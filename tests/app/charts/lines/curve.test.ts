import { describe, expect, it } from 'vitest';
import { axisRange, lonelyRows } from '../../../../src/app/charts/lines/axis';
import * as curves from '../../../../src/app/charts/lines/curve';
import { curvesOf, type ChartLine, type Curve } from '../../../../src/app/charts/lines/curve';
import { evalReport } from '../../../run/verdict/verdicts';

const curve = (count: number, valueOf = (step: number): number | null => step): Curve => {
  const steps = Array.from({ length: count }, (_, index) => index + 1);
  return { steps, values: steps.map(valueOf) };
};
const line = (own: Partial<ChartLine> = {}): ChartLine => ({
  ...{ label: 'a', colour: '--ink', steps: [], values: [], ...own },
});

it('figures that are not finite are gaps, and spoil none after them', () => {
  const rewards = [1, NaN, Infinity, 2];
  const records = rewards.map((reward, index) => ({ step: index + 1, reward }));
  const evaluations = [NaN, 3].map((meanThinkLength) => ({ report: evalReport({ meanThinkLength }) }));
  const { reward, tested } = curvesOf(records, evaluations);
  expect(reward.values.map((value) => Number.isFinite(value))).toEqual([true, false, false, true]);
  expect(tested.values).toEqual([null, 3]);
});

describe('a curve', () => {
  it('is within a range until a value of any leaves it', () => {
    const within = [[], [curve(3), curve(2, (step) => (step === 2 ? null : 0))]];
    const beyond = [[curve(3), curve(2, (step) => 1 - step)], [curve(4)]];
    const found = [...within, ...beyond].map((all) => curves.isWithin(all, [0, 3]));
    expect(found).toEqual([true, true, false, false]);
  });

  it('has at each step the last value before it', () => {
    const some: Curve = { steps: [0, 10, 20], values: [0.5, null, 0.7] };
    expect([null, 25, 19, 0, -1].map((step) => curves.valueAt(some, step))).toEqual([
      0.7,
      0.7,
      0.5,
      0.5,
      null,
    ]);
    expect([null, 25, 19, 0, -1].map((step) => curves.lastStepOf(some, step))).toEqual([20, 20, 0, 0, null]);
    const long = curve(1000);
    expect([1, 500, 999.5, 1000].map((step) => curves.valueAt(long, step))).toEqual([1, 500, 999, 1000]);
  });
});

it('lines have letters where there are several, and raw data behind a line none', () => {
  const raw = line({ faint: true });
  expect(curves.lettersOf([raw, line(), line()])).toEqual([null, 'A', 'B']);
  expect(curves.lettersOf([raw, line()])).toEqual([null, null]);
  // The line of a run that is pointed at takes no letter from the others.
  expect(curves.lettersOf([line(), line(), line({ isPassing: true }), line()])).toEqual([
    'A',
    'B',
    null,
    'C',
  ]);
  expect(curves.lettersOf(Array.from({ length: 9 }, () => line()))).toEqual(new Array(9).fill(null));
});

it('lines of the same steps share their list', () => {
  const [one, other] = [curve(3), curve(3)];
  expect(curves.stepsOf([one, other])).toBe(one.steps);
  expect(curves.stepsOf([one, curve(4), { steps: [0.5], values: [1] }])).toEqual([0.5, 1, 2, 3, 4]);
  expect(curves.stepsOf([])).toEqual([]);
});

it('points to which no line leads stand alone', () => {
  const none = undefined;
  expect(lonelyRows([none, 5, null, 7, none, 8, null, 6])).toEqual([1, 7]);
  expect(lonelyRows([none, 2, none])).toEqual([1]);
  expect(lonelyRows([null, 1, 2])).toEqual([]);
  expect(lonelyRows([])).toEqual([]);
});

it('an axis fits its values, and shows a constant with rounding noise as a level line', () => {
  expect(axisRange(1, 3)).toEqual([0.9, 3.1]);
  expect(axisRange(0.02, 3)[0]).toBe(0); // counts and lengths have no room below zero
  expect(axisRange(2, 3, { isFromZero: true })[0]).toBe(0);
  const [low, high] = axisRange(-3, -3 + 1e-9);
  expect(high - low).toBeGreaterThan(0.06);
  expect(axisRange(7, 7, { isWhole: true })[1]).toBeGreaterThan(8);
  const most = Number.MAX_VALUE;
  expect([axisRange(null, null), axisRange(0, 0), axisRange(-most, most)]).toEqual(Array(3).fill([0, 1]));
});

it('a table has every step of a short run and some of a long one, the last among them', () => {
  const gap = line({ steps: [1, 2], values: [0.5, null] });
  expect(curves.tableOf([gap, line({ steps: [2], values: [3] })], String)).toEqual([
    ['1', '0.5', ''],
    ['2', '', '3'],
  ]);
  const rows = curves.tableOf([line(curve(1000))], String);
  expect(rows.length).toBeLessThanOrEqual(25);
  expect(rows.at(-1)).toEqual(['1000', '1000']);
});
