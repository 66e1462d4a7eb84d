/** Number formats of the page, and numbered names. */
import { percent } from '../../base/statistics';

export { percent };

/**
 * Rounds half away from zero in decimal digits. `toFixed` turns 1.005 into 1.00, since no binary number is exactly 1.005.
 */
export function rounded(value: number, digits: number): number {
  const scale = 10 ** digits;
  const size = Math.round(Number((Math.abs(value) * scale).toPrecision(12))) / scale;
  return size === 0 ? 0 : Math.sign(value) * size;
}

export function plainNumber(value: number): string {
  const size = Math.abs(value);
  return String(rounded(value, size >= 100 ? 0 : size >= 10 ? 1 : size >= 0.1 || size === 0 ? 2 : 4));
}

/** `plainNumber` with a minus sign instead of a hyphen. */
export const withMinus = (value: number): string => plainNumber(value).replace('-', '−');

/** `60 → 87 %` */
export const fromTo = ({ before, now }: { before: number; now: number }): string =>
  `${Math.round(100 * before)} → ${percent(now)}`;

/** `28 to 36 %` */
export const between = ({ low, high }: { low: number; high: number }): string =>
  `${Math.round(100 * low)} to ${percent(high)}`;

/** Digits that a recording stores of each number. A run that repeats the recording must show the same. */
const recordedDigits = 4;

/** Number with its sign, rounded to two decimals: `+1.5`, `−0.5`, `0`. */
export function signedNumber(value: number): string {
  const shown = rounded(Number(value.toPrecision(recordedDigits)), 2);
  return shown === 0 ? '0' : shown < 0 ? `−${-shown}` : `+${shown}`;
}

/** Change of a share in percentage points, with its sign: `+4.2`, `−1.0`, `±0`. */
export function signedPoints(change: number): string {
  const size = Math.abs(100 * change).toFixed(1);
  if (Number(size) === 0) return '±0';
  return `${change > 0 ? '+' : '−'}${size}`;
}

/** `1 row`, `2,000 rows`. */
export function counted(count: number, what: string): string {
  return `${count.toLocaleString('en')} ${what}${count === 1 ? '' : 's'}`;
}

/** Numbers equal names: `Ada`, `Ada (2)`. */
export function distinctlyNamed<Named extends { name: string }>(all: readonly Named[]): Named[] {
  const counts = new Map<string, number>();
  return all.map((one) => {
    const count = (counts.get(one.name) ?? 0) + 1;
    counts.set(one.name, count);
    return count === 1 ? one : { ...one, name: `${one.name} (${count})` };
  });
}
