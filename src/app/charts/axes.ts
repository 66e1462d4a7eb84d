/** Axes that end at round numbers and have their ticks there. */
export interface Axis {
  low: number;
  high: number;
  ticks: readonly number[];
}

/** What a rounding error may add to a quotient. */
const slack = 1e-9;

/**
 * From `low` to `high` or a little beyond, with ticks at multiples of 1, 2 or 5 times a power of ten.
 *
 * @param parts - between ticks, about as many at most
 * @param isWhole - no tick between whole numbers
 */
export function roundAxis(low: number, high: number, parts: number, isWhole = false): Axis {
  if (!Number.isFinite(high - low)) return roundAxis(-1, 1, parts, isWhole); // no axis holds such values
  const least = Math.max((high > low ? high - low : 1) / parts, isWhole ? 1 : 0);
  const power = 10 ** Math.floor(Math.log10(least) + slack);
  const distance = power * [1, 2, 5, 10].find((factor) => factor * power >= least - slack * power)!;
  const first = Math.floor(low / distance + slack);
  const last = Math.max(first + 1, Math.ceil(high / distance - slack));
  const ticks = Array.from({ length: last - first + 1 }, (_, index) => (first + index) * distance);
  return { low: ticks[0], high: ticks.at(-1)!, ticks };
}

/** Below these it has ticks at 2 and 5 as well as at powers of ten. */
const mostLogarithms = 6;

/** Of decimal logarithms, with ticks at 1, 2 and 5 times powers of ten. */
export function logarithmicAxis(low: number, high: number): Axis {
  const powers = Array.from(
    { length: Math.ceil(high) - Math.floor(low) + 1 },
    (_, at) => Math.floor(low) + at,
  );
  const all = powers.flatMap((power) => [1, 2, 5].map((factor) => power + Math.log10(factor)));
  const first = all.findLastIndex((tick) => tick <= low + slack);
  const last = all.findIndex((tick) => tick >= high - slack && tick > all[first]);
  const ticks = all.slice(first, last + 1);
  return ticks.length <= mostLogarithms
    ? { low: ticks[0], high: ticks.at(-1)!, ticks }
    : roundAxis(low, high, 4, true);
}
