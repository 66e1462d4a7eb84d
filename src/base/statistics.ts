/**
 * Statistics of records and reports. The confidence interval of a mean uses Student's t, since there are few runs. The
 * interval of a proportion is in `src/reward/accuracy.ts`.
 */

export const NORMAL_95 = 1.959963984540054;

/**
 * Minimum and maximum; Infinity and -Infinity for no values. Works for any number of values, whereas `Math.min(...values)`
 * overflows the stack for long lists.
 */
export function extent(values: readonly number[]): [least: number, most: number] {
  let [least, most] = [Infinity, -Infinity];
  for (const value of values) {
    least = Math.min(least, value);
    most = Math.max(most, value);
  }
  return [least, most];
}

/** Arithmetic mean; 0 for no values. */
export function mean(values: readonly number[]): number {
  return values.length === 0 ? 0 : values.reduce((sum, value) => sum + value, 0) / values.length;
}

/** Sample standard deviation with Bessel's correction; exactly 0 for equal values, and for fewer than two. */
export function deviation(values: readonly number[]): number {
  if (values.every((value) => value === values[0])) return 0; // the mean of eight times 1.1 is not 1.1
  const centre = mean(values);
  return Math.sqrt(values.reduce((sum, value) => sum + (value - centre) ** 2, 0) / (values.length - 1));
}

/** Median, the mean of the two middle values for an even number of values; NaN for none. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((one, other) => one - other);
  return (sorted[(sorted.length - 1) >> 1] + sorted[sorted.length >> 1]) / 2;
}

/** 97.5 % quantile of Student's t by degrees of freedom, from 1. */
const STUDENT_975 = [
  12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228, 2.201, 2.179, 2.16, 2.145, 2.131,
  2.12, 2.11, 2.101, 2.093, 2.086, 2.08, 2.074, 2.069, 2.064, 2.06, 2.056, 2.052, 2.048, 2.045, 2.042,
];

/** Minimum number of values for an interval of their mean. That of two values is too wide to be useful. */
export const FEWEST_VALUES = 3;
/** Differences that are equal apart from rounding have a deviation below this. */
const ROUNDING = 1e-12;

/**
 * @returns half the width of the mean's 95 % confidence interval; null for fewer than `FEWEST_VALUES`, and for equal values,
 *   which do not prove certainty
 */
export function meanMargin(values: readonly number[]): number | null {
  const spread = deviation(values);
  if (values.length < FEWEST_VALUES || spread < ROUNDING) return null;
  const freedom = values.length - 1;
  // Beyond the table the first term of the quantile's expansion in 1/freedom is accurate to three digits.
  const quantile = STUDENT_975.at(freedom - 1) ?? NORMAL_95 + (NORMAL_95 ** 3 + NORMAL_95) / (4 * freedom);
  return (quantile * spread) / Math.sqrt(values.length);
}

/** `37 %`. */
export const percent = (fraction: number): string => `${Math.round(100 * fraction)} %`;
