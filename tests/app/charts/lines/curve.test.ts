import { expect, it } from 'vitest';
import * as lines from '../../../../src/app/charts/lines/chart-line';
import type { ChartLine } from '../../../../src/app/charts/lines/chart-line';
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
  const long = curve(1000);
  expect([1, 500, 999.5, 1000].map((step) => lines.valueAt(long, step))).toEqual([1, 500, 999, 1000]);
});

it('a table has every step of a short run and some of a long one, the last among them', () => {
  const short = [line({ steps: [1, 2], values: [0.5, null] }), line({ steps: [2], values: [3] })];
  expect(lines.tableOf(short, String)).toEqual([
    ['1', '0.5', ''],
    ['2', '', '3'],
  ]);
  const rows = lines.tableOf([line(curve(1000))], String);
  expect(rows.length).toBeLessThanOrEqual(25);
  expect(rows.at(-1)).toEqual(['1000', '1000']);
  const tests = { steps: [0, 50, 150, 250, 1000], values: [9, 8, 7, 6, 5] };
  const tested = lines.tableOf([line(curve(1000)), line(tests)], String);
  expect(tested.length).toBeLessThanOrEqual(30);
  expect(tested.flatMap(([step, , value]) => (value === '' ? [] : [Number(step)]))).toEqual(tests.steps);
});
