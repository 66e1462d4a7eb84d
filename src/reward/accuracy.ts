/**
 * A fraction of right answers and how sure it is.
 *
 * The interval is Wilson's (E. B. Wilson, JASA 1927): it stays inside [0, 1] and is honest at 0 and at 1, where the
 * textbook interval has no width.
 */

import { NORMAL_95 } from '../base/statistics';

/** Accuracy on `count` items with a Wilson 95 % interval. */
export interface Accuracy {
  count: number;
  accuracy: number;
  low: number;
  high: number;
}

/** @returns fraction of `hits` in `count` with its 95 % interval; the whole of [0, 1] where count is 0 */
export function wilson(hits: number, count: number): Accuracy {
  if (count === 0) return { count, accuracy: 0, low: 0, high: 1 };
  const share = hits / count;
  const z2 = NORMAL_95 ** 2 / count;
  const centre = share + z2 / 2;
  const spread = NORMAL_95 * Math.sqrt((share * (1 - share)) / count + z2 / (4 * count));
  return {
    count,
    accuracy: share,
    low: Math.max(0, (centre - spread) / (1 + z2)),
    high: Math.min(1, (centre + spread) / (1 + z2)),
  };
}
