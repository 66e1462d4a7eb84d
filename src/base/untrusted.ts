/** What every reader of data from outside asks of a value, and how it says what it has found. */

import { Unreadable } from './lenient-json';

/** A JSON object, which a list is not. */
export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A value of any kind in a message, never longer than a line. */
export function shown(value: unknown): string {
  if (value instanceof Unreadable) return `unreadable: it ${value.fault}`;
  // JSON would write NaN as null.
  if (typeof value === 'number' || typeof value === 'bigint') return String(value);
  // Parquet files have integers of 64 bits.
  const whole = (_: string, part: unknown): unknown => (typeof part === 'bigint' ? String(part) : part);
  const text = JSON.stringify(value, whole) ?? 'missing';
  return text.length > 80 ? `${text.slice(0, 77)}...` : text;
}
