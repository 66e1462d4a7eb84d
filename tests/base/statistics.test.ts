import { expect, it } from 'vitest';
import { median } from '../../src/base/statistics';

it('the median of an even number of values is the mean of the two in the middle', () => {
  expect([median([9, 1, 3]), median([10, 1, 3, 2]), median([4])]).toEqual([3, 2.5, 4]);
  expect(median([])).toBeNaN();
});
