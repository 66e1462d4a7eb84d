import { expect, it } from 'vitest';
import { armCurve, armNames } from '../../../../src/app/charts/lines/chart-lines';
import { presets } from '../../../../src/run/config/presets';

it('the curve of an arm is the mean of its runs at each step, with one standard deviation on either side', () => {
  const curve = armCurve([
    { steps: [0, 10, 20], values: [1, 2, 6] },
    { steps: [0, 10], values: [3, null] },
    { steps: [0, 5], values: [5, 9] },
  ]);
  expect(curve.steps).toEqual([0, 5, 10, 20]);
  expect(curve.mean).toEqual([3, 9, 2, 6]);
  expect(curve.low).toEqual([1, 9, 2, 6]);
  expect(curve.high).toEqual([5, 9, 2, 6]);
});

it('runs that differ by their seeds are one arm, and the same run by another program is an arm of its own', () => {
  const config = presets['ladder-25k'];
  const seeds = [{ config }, { config: { ...config, seed: 9 } }];
  expect(armNames(seeds)).toEqual(['', '']);
  expect(armNames([...seeds, { config, program: 'TRL' }])).toEqual(['', '', 'TRL']);
  expect(armNames([...seeds, { arm: 'mine' }])).toBeNull();
});
