/** Numbers of the pages on studies. */

/** Before and after. */
export function change([before, after]: readonly number[]): string {
  return `${two(before)} → ${two(after)}`;
}

/** A value with its interval. */
export function bracket([value, low, high]: readonly number[]): string {
  return `${two(value)} [${two(low)}, ${two(high)}]`;
}

/** Two decimals without a leading zero, as `.52`. */
export function two(value: number): string {
  return value
    .toFixed(2)
    .replace(/^-(?=0\.00$)/, '')
    .replace(/^(-?)0\./, '$1.')
    .replace('-', '−');
}
