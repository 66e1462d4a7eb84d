import { expect, it } from 'vitest';
import { lonelyRows, rangeOf } from '../../../../src/app/charts/canvas';
import * as lines from '../../../../src/app/charts/lines/aligned';
import type { ChartLine } from '../../../../src/app/charts/lines/aligned';
import { curvesOf, type Curve } from '../../../../src/app/charts/lines/curve';
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

it('a curve has at each step the last value before it', () => {
  const some: Curve = { steps: [0, 10, 20], values: [0.5, null, 0.7] };
  const steps = [null, 25, 19, 0, -1];
  expect(steps.map((step) => lines.valueAt(some, step))).toEqual([0.7, 0.7, 0.5, 0.5, null]);
  const all = [line(some), line({ ...curve(9), faint: true })];
  expect(steps.map((step) => lines.lastStepOf(all, step))).toEqual([20, 20, 0, 0, 0]);
  expect(lines.lastStepOf([line()], null)).toBe(null);
  const long = curve(1000);
  expect([1, 500, 999.5, 1000].map((step) => lines.valueAt(long, step))).toEqual([1, 500, 999, 1000]);
});

it('lines have letters where there are several, and raw data behind a line none', () => {
  const letters = (...all: ChartLine[]) => lines.lettered(all).map(({ end }) => end);
  const raw = line({ faint: true });
  expect(letters(raw, line(), line())).toEqual([undefined, 'A', 'B']);
  expect(letters(raw, line())).toEqual([undefined, undefined]);
  expect(letters(...Array.from({ length: 9 }, () => line()))).toEqual(new Array(9).fill(undefined));
});

it('lines of a chart share their steps, without points at the steps of others', () => {
  const [half, band] = [
    { steps: [0.5], values: [9] },
    { steps: [2], values: [5], band: { low: [4], high: [6] } },
  ];
  const none = undefined;
  expect(lines.aligned([curve(2, (step) => (step === 1 ? null : step)), half, band])).toEqual([
    { steps: [0.5, 1, 2], values: [none, null, 2] },
    { steps: [0.5, 1, 2], values: [9, none, none] },
    { steps: [0.5, 1, 2], values: [none, none, 5], band: { low: [none, none, 4], high: [none, none, 6] } },
  ]);
  expect(lines.aligned([])).toEqual([]);
});

it('points between two gaps are drawn as single points', () => {
  const none = undefined;
  expect(lonelyRows([none, 5, null, 7, none, 8, null, 6])).toEqual([1, 7]);
  expect(lonelyRows([none, 2, none])).toEqual([1]);
  expect(lonelyRows([null, 1, 2])).toEqual([]);
  expect(lonelyRows([])).toEqual([]);
});

it('an axis fits its values, and shows a constant with rounding noise as a level line', () => {
  expect(rangeOf(1, 3, {})).toEqual([0.9, 3.1]);
  expect(rangeOf(0.02, 3, {})[0]).toBe(0); // counts and lengths have no room below zero
  expect(rangeOf(2, 3, { isFromZero: true })[0]).toBe(0);
  const [low, high] = rangeOf(-3, -3 + 1e-9, {});
  expect(high - low).toBeGreaterThan(0.06);
  expect(rangeOf(7, 7, { isWhole: true })[1]).toBeGreaterThan(8);
  const most = Number.MAX_VALUE;
  expect([rangeOf(null, null, {}), rangeOf(0, 0, {}), rangeOf(-most, most, {})]).toEqual(
    Array(3).fill([0, 1]),
  );
});

it('an axis shows the usual part of its range until a value leaves it', () => {
  const of = { range: [-3, 3], usual: [0, 3] } as const;
  expect([rangeOf(null, null, of), rangeOf(0, 3, of)]).toEqual([of.usual, of.usual]);
  expect([rangeOf(-0.1, 1, of), rangeOf(1, 3.1, of)]).toEqual([of.range, of.range]);
  expect(rangeOf(1, 2, { range: of.range })).toEqual(of.range);
});

it('a table has every step of a short run and some of a long one, the last among them', () => {
  const short = lines.aligned([
    line({ steps: [1, 2], values: [0.5, null] }),
    line({ steps: [2], values: [3] }),
  ]);
  expect(lines.tableOf(short, String)).toEqual([
    ['1', '0.5', ''],
    ['2', '', '3'],
  ]);
  const rows = lines.tableOf([line(curve(1000))], String);
  expect(rows.length).toBeLessThanOrEqual(25);
  expect(rows.at(-1)).toEqual(['1000', '1000']);
  const tests = { steps: [0, 50, 150, 250, 1000], values: [9, 8, 7, 6, 5] };
  const tested = lines.tableOf(lines.aligned([line(curve(1000)), line(tests)]), String);
  expect(tested.length).toBeLessThanOrEqual(30);
  expect(tested.flatMap(([step, , value]) => (value === '' ? [] : [Number(step)]))).toEqual(tests.steps);
});
