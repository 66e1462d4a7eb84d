import { expect, it } from 'vitest';
import { roundAxis } from '../../../src/app/charts/axes';

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
