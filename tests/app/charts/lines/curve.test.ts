import { describe, expect, it } from 'vitest';
import { seenExtent } from '../../../../src/app/charts/chart';
import { roundAxis } from '../../../../src/app/charts/axes';
import {
  type ChartLine,
  type Curve,
  isWithin,
  lastStepOf,
  lettersOf,
  pathOf,
  seenPart,
  thinned,
  upTo,
  valueAt,
} from '../../../../src/app/charts/lines/curve';

const curve = (count: number, valueOf = (step: number): number | null => step): Curve => {
  const steps = Array.from({ length: count }, (_, index) => index + 1);
  return { steps, values: steps.map(valueOf) };
};
const sight = { from: 0, to: 10, low: 0, high: 10 };

describe('a curve', () => {
  it.each([1, 60, 960, 961, 5000, 200_000])(
    'of %i points is drawn in few, the last and the peaks among them',
    (count) => {
      const peak = Math.ceil(count / 2);
      const { steps, values } = thinned(curve(count, (step) => (step === peak ? 99 : step % 3)));
      expect(steps.length).toBeLessThanOrEqual(960);
      expect(steps.length).toBeGreaterThanOrEqual(Math.min(count, 240));
      expect(steps.at(-1)).toBe(count);
      expect(values).toContain(99);
      expect(steps).toEqual([...steps].sort((a, b) => a - b));
    },
  );

  it('has a gap where it has no value, and a dot where a value stands alone', () => {
    const withGap = curve(4, (step) => (step === 2 ? null : step));
    expect(pathOf(withGap, sight)).toBe('M480 1350h1M1440 1050h1L1920 900');
    expect(pathOf(curve(1), sight)).toBe('M480 1350h1');
    expect(pathOf(curve(0), sight)).toBe('');
  });

  it('leads beyond both ends of what is in sight', () => {
    expect(seenPart(curve(9), { from: 3.5, to: 5.5 }).steps).toEqual([3, 4, 5, 6]);
    expect(seenPart(curve(9), { from: 0, to: 20 }).steps).toHaveLength(9);
  });

  it('is within a range until a value of any leaves it', () => {
    expect(isWithin([], [0, 3])).toBe(true);
    expect(isWithin([curve(3), curve(2, (step) => (step === 2 ? null : 0))], [0, 3])).toBe(true);
    expect(isWithin([curve(3), curve(2, (step) => 1 - step)], [0, 3])).toBe(false);
    expect(isWithin([curve(4)], [0, 3])).toBe(false);
  });

  it('has at each step the last value before it', () => {
    const some: Curve = { steps: [0, 10, 20], values: [0.5, null, 0.7] };
    expect([null, 25, 19, 0, -1].map((step) => valueAt(some, step))).toEqual([0.7, 0.7, 0.5, 0.5, null]);
    expect([25, 19, 0, -1].map((step) => lastStepOf(some, step))).toEqual([20, 0, 0, null]);
  });
});

it('a curve is cut where a shorter run ends', () => {
  const whole = { steps: [0, 5, 10], values: [1, null, 3] };
  expect(upTo(whole, 9)).toEqual({ steps: [0, 5], values: [1, null] });
  expect(upTo(whole, 10)).toEqual(whole);
});

const line = (faint?: boolean): ChartLine => ({ label: 'a', colour: '--ink', steps: [], values: [], faint });

it('lines have letters where there are several, and raw data behind a line none', () => {
  expect(lettersOf([line(true), line(), line()])).toEqual([null, 'A', 'B']);
  expect(lettersOf([line(true), line()])).toEqual([null, null]);
  // The line of a run that is pointed at takes no letter from the others.
  expect(lettersOf([line(), line(), { ...line(), isPassing: true }, line()])).toEqual(['A', 'B', null, 'C']);
  expect(lettersOf(Array.from({ length: 9 }, () => line()))).toEqual(new Array(9).fill(null));
});

it('an axis ends at round numbers around its values, with few ticks', () => {
  expect(roundAxis(0, 1, 4).ticks).toEqual([0, 0.5, 1]);
  expect(roundAxis(-0.97, 2.9, 4).ticks).toEqual([-1, 0, 1, 2, 3]);
  expect(roundAxis(0, 20, 4).ticks).toEqual([0, 5, 10, 15, 20]);
  expect(roundAxis(0, 21, 4).ticks).toEqual([0, 10, 20, 30]);
  expect(roundAxis(0.0012, 0.0038, 4).ticks.map((tick) => tick.toFixed(3))).toEqual([
    ...['0.001', '0.002', '0.003', '0.004'],
  ]);
  // Whole steps have no ticks between them; values that are all the same have room around them.
  expect(roundAxis(0, 2, 5, true).ticks).toEqual([0, 1, 2]);
  expect(roundAxis(3, 3, 4).ticks).toHaveLength(2);
  for (const none of [NaN, Infinity]) expect(roundAxis(-none, none, 4).ticks).toEqual([-1, -0.5, 0, 0.5, 1]);
});

it('a constant with rounding noise has an axis that shows a level line', () => {
  const noise = { ...curve(3, (step) => -3 - step * 1e-7), label: 'reward', colour: '--ink' };
  const [least, most] = seenExtent([noise], 1, 3);
  expect(most - least).toBeGreaterThanOrEqual(0.003);
  const real = { ...curve(3, (step) => step / 10), label: 'reward', colour: '--ink' };
  expect(seenExtent([real], 1, 3)).toEqual([0.1, 0.3]);
});
