import { describe, expect, it } from 'vitest';
import { deviation, meanMargin, median } from '../../src/base/statistics';

describe('the 95 % interval of a mean', () => {
  it('is Student’s: the sleep data of 1908 give 0.7001 to 2.4599', () => {
    // Student, "The probable error of a mean", differences of two drugs on ten patients; R's t.test gives these bounds.
    const hours = [1.2, 2.4, 1.3, 1.3, 0.0, 1.0, 1.8, 0.8, 4.6, 1.4];
    expect(1.58 - meanMargin(hours)!).toBeCloseTo(0.7001, 3);
    expect(1.58 + meanMargin(hours)!).toBeCloseTo(2.4599, 3);
  });

  it('has Student’s quantile for any number of values', () => {
    // With t = √freedom tan(angle) the density is proportional to cos(angle)^(freedom − 1).
    const mass = (freedom: number, end: number): number => {
      const places = Array.from({ length: 2000 }, (_, index) => ((index + 0.5) * end) / 2000);
      return end * places.reduce((sum, angle) => sum + Math.cos(angle) ** (freedom - 1), 0);
    };
    for (let freedom = 2; freedom < 50; freedom += 1) {
      const values = Array.from({ length: freedom + 1 }, (_, index) => index);
      const quantile = (meanMargin(values)! * Math.sqrt(values.length)) / deviation(values);
      const share = mass(freedom, Math.atan(quantile / Math.sqrt(freedom))) / mass(freedom, Math.PI / 2);
      expect(share, `${freedom} degrees of freedom`).toBeCloseTo(0.95, 3);
    }
  });

  it('is unknown for fewer than three values and for equal ones', () => {
    const equal = [0.7 - 0.6, 0.8 - 0.7, 0.3 - 0.2];
    expect(equal[0]).not.toBe(equal[1]);
    expect([[0.5], [0.5, 0.6], [0.5, 0.5, 0.5], equal].map(meanMargin)).toEqual([null, null, null, null]);
  });
});

it('the median of an even number of values is the mean of the two in the middle', () => {
  expect([median([9, 1, 3]), median([10, 1, 3, 2]), median([4])]).toEqual([3, 2.5, 4]);
  expect(median([])).toBeNaN();
});

it('equal values have a deviation of 0, although the mean of eight times 1.1 is not 1.1', () => {
  expect([deviation(new Array(8).fill(1.1)), deviation([3]), deviation([])]).toEqual([0, 0, 0]);
  expect(deviation([1, 3])).toBe(Math.SQRT2);
});
