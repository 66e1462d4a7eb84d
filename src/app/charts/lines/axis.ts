/** Ranges of axes, and isolated points of lines. */
import type { Range } from './curve';

/** Minimum span of an axis, as a fraction of its largest value and in absolute terms. */
const leastPart = 0.02;
const leastSpan = 1e-3;
/** Padding above and below the values, as a fraction of the span. */
const pad = 0.05;

/** Range of an axis for values from `least` to `most`. A minimum span keeps rounding noise of a constant flat. */
export function axisRange(
  least: number | null,
  most: number | null,
  { isFromZero = false, isWhole = false } = {},
): Range {
  const size = Math.max(Math.abs(least ?? 0), Math.abs(most ?? 0));
  if (least === null || most === null || size === 0 || !Number.isFinite(most - least)) return [0, 1];
  const span = Math.max(most - least, leastPart * size, isWhole ? 2 : leastSpan);
  const room = pad * span + (span - (most - least)) / 2;
  const low = least >= 0 ? Math.max(0, least - room) : least - room;
  return [isFromZero ? Math.min(0, low) : low, most + room];
}

/**
 * Rows of isolated points, which have a gap or an end on both sides and belong to no line segment.
 *
 * @param column - null is a gap; undefined is no point, and lines continue across it
 */
export function lonelyRows(column: ArrayLike<number | null | undefined>): number[] {
  const rows: number[] = [];
  let before: number | null = null;
  let last: number | null = null;
  for (let row = 0; row <= column.length; row++) {
    const value = row === column.length ? null : column[row];
    if (value === undefined) continue;
    if (value === null && last !== null && before === null) rows.push(last);
    before = last;
    last = value === null ? null : row;
  }
  return rows;
}
