import { expect } from 'vitest';

export function expectWithin(tolerance: number, actual: number, expected: number): void {
  expect(Math.abs(actual - expected), `${actual} against ${expected}`).toBeLessThanOrEqual(tolerance);
}

/** Expects rows of equal lengths that agree to 1e-6, the rounding of the golden numbers. */
export function expectRows(
  actual: readonly ArrayLike<number>[],
  expected: readonly (readonly number[])[],
): void {
  expect(actual.map((row) => row.length)).toEqual(expected.map((row) => row.length));
  actual.forEach((row, i) =>
    Array.from(row).forEach((value, token) => expectWithin(1e-6, value, expected[i][token])),
  );
}
