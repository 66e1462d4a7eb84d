/** Figures as docs/results.md has them. */

/** A single start has no interval. */
export function bracket([value, low, high]: readonly number[]): string {
  if (low === high) return two(value);
  return `${two(value)} [${two(low)}, ${two(high)}]`;
}

/** As `.52`. */
export function two(value: number): string {
  return value
    .toFixed(2)
    .replace(/^-(?=0\.00$)/, '')
    .replace(/^(-?)0\./, '$1.')
    .replace('-', '−');
}
