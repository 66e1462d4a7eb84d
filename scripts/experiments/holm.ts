/** Holm's correction for several tests (Holm 1979): the smallest p times their number, the next times one less, and so on. */

/**
 * Adjusted p values, at most 1 and in the order of the p. A test without a p yet counts with p = 1: it takes its place in
 * the number of tests, so that an early look is no easier than the last one.
 */
export function holm(ps: readonly (number | null)[]): number[] {
  const order = ps.map((_, index) => index).sort((a, b) => (ps[a] ?? 1) - (ps[b] ?? 1));
  const adjusted = ps.map(() => 1);
  let highest = 0;
  order.forEach((index, rank) => {
    highest = Math.max(highest, Math.min(1, (ps.length - rank) * (ps[index] ?? 1)));
    adjusted[index] = highest;
  });
  return adjusted;
}
