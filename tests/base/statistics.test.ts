import { expect, it } from 'vitest';
import { median } from '../../src/base/statistics';

it('a median of an even number lies between the two in the middle', () => {
  expect([median([9, 1, 3]), median([10, 1, 3, 2]), median([4])]).toEqual([3, 2.5, 4]);
  expect(median([])).toBeNaN();
});
