/**
 * Accuracy with a Wilson score interval (E. B. Wilson, JASA 1927). The interval stays inside [0, 1] and has a width at
 * accuracies of 0 and 1, where that of the normal approximation is empty.
 */

import { NORMAL_95 } from '../base/statistics';

/** Accuracy on `count` items with a Wilson 95 % interval. */
export interface Accuracy {
  count: number;
  /** @deprecated 0 for no questions. Read it with `measuredAccuracy`; this tag makes the linter refuse other readers. */
  accuracy: number;
  low: number;
  high: number;
}

/** @returns the fraction `hits` / `count` with its 95 % interval; the interval is [0, 1] if `count` is 0 */
export function wilson(hits: number, count: number): Accuracy {
  // oxlint-disable-next-line typescript/no-deprecated -- a writer
  if (count === 0) return { count, accuracy: 0, low: 0, high: 1 };
  const share = hits / count;
  const z2 = NORMAL_95 ** 2 / count;
  const centre = share + z2 / 2;
  const spread = NORMAL_95 * Math.sqrt((share * (1 - share)) / count + z2 / (4 * count));
  return {
    count,
    // oxlint-disable-next-line typescript/no-deprecated -- a writer
    accuracy: share,
    low: Math.max(0, (centre - spread) / (1 + z2)),
    high: Math.min(1, (centre + spread) / (1 + z2)),
  };
}

/** Returns the accuracy; null for no questions. */
export function measuredAccuracy(of: Accuracy | null | undefined): number | null {
  // oxlint-disable-next-line typescript/no-deprecated -- the only reader
  return of == null || of.count === 0 ? null : of.accuracy;
}
