/**
 * The fingerprint of a run, short enough for a link: hashes of its rows of metrics, without timings. A repeated run can be
 * compared with it; the comparison gives the first step that differs.
 *
 *     <rows>.<hash of all rows>.<hash of row 1><hash of row 2>…      single rows for the first 20 steps
 *
 * Hashes are FNV-1a of the row's numbers with sorted names. They detect differences in rounding, not forgery.
 */
import type { StepRecord } from '../run/record/events';
import { fnv1a } from '../base/digest';
import { timingMetrics } from '../run/record/metrics';

/** Number of rows with a separate hash. Runs that round differently diverge within a few steps. */
const SINGLE_ROWS = 20;
/** Hexadecimal digits of a hash. */
const ROW_DIGITS = 4;
const ALL_DIGITS = 8;

/** Pattern of a fingerprint in a link, with at least one row. */
export const fingerprintPattern = new RegExp(
  `^[1-9]\\d{0,6}\\.[0-9a-f]{${ALL_DIGITS}}\\.([0-9a-f]{${ROW_DIGITS}}){1,${SINGLE_ROWS}}$`,
);

function rowText(record: StepRecord): string {
  return Object.keys(record)
    .filter((name) => !timingMetrics.includes(name))
    .sort()
    .map((name) => `${name}=${record[name]}`)
    .join(';');
}

const hex = (hash: number, digits: number): string => hash.toString(16).padStart(8, '0').slice(-digits);
const rowHash = (record: StepRecord): string => hex(fnv1a(rowText(record)), ROW_DIGITS);
function allHash(records: Iterable<StepRecord>): string {
  let hash = fnv1a('');
  for (const record of records) hash = fnv1a(rowText(record), hash);
  return hex(hash, ALL_DIGITS);
}

/** @returns null without the first step */
export function runFingerprint(records: readonly StepRecord[]): string | null {
  if (records.at(0)?.step !== 1) return null;
  const rows = records.slice(0, SINGLE_ROWS).map(rowHash);
  return `${records.length}.${allHash(records)}.${rows.join('')}`;
}

export interface Comparison {
  /** Number of steps that were compared one by one. */
  compared: number;
  /** Steps of the sender's run. */
  rows: number;
  /** First differing step among the first 20; null for none. */
  differsAt: number | null;
  /** True if all rows are equal; null if the run has fewer steps than the sender's. */
  isSame: boolean | null;
}

/** Number of rows of a fingerprint's run. */
export const rowsOf = (fingerprint: string): number => parseInt(fingerprint, 10);

/** @param fingerprint must match `fingerprintPattern` */
export function compareWithFingerprint(fingerprint: string, records: readonly StepRecord[]): Comparison {
  const [, all, single] = fingerprint.split('.');
  const rows = rowsOf(fingerprint);
  const senderHashes = single.match(new RegExp(`.{${ROW_DIGITS}}`, 'g')) ?? [];
  const hashes = records.slice(0, senderHashes.length).map(rowHash);
  const place = hashes.findIndex((hash, i) => hash !== senderHashes[i]);
  const differsAt = place === -1 ? null : records.at(place)!.step;
  const hasAllRows = records.length >= rows;
  return {
    compared: hashes.length,
    rows,
    differsAt,
    isSame: differsAt !== null ? false : hasAllRows ? allHash(records.slice(0, rows)) === all : null,
  };
}
