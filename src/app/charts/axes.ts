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
