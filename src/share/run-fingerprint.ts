/**
 * The fingerprint of a run, short enough for a link: hashes of its rows of metrics, without those of the clock. Whoever
 * opens the link and makes the run again is told whether it is the sender's, or at which step it leaves it.
 *
 *     <rows>.<hash of all rows>.<hash of row 1><hash of row 2>…      the single rows of the first 20 steps
 *
 * Hashes are FNV-1a of the row's numbers, names sorted: they find an accident of rounding, not a forger.
 */
import type { StepRecord } from '../run/record/events';
import { fnv1a } from '../base/fnv';
import { timingMetrics } from '../run/record/metrics';

/** Runs of different rounding part within a few steps: these are told apart one by one. */
const SINGLE_ROWS = 20;
/** Hexadecimal digits. */
const ROW_DIGITS = 4;
const ALL_DIGITS = 8;

/** What a link may hold; at least one row. */
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
const allHash = (records: readonly StepRecord[]): string =>
  hex(
    records.reduce((hash, record) => fnv1a(rowText(record), hash), fnv1a('')),
    ALL_DIGITS,
  );

/** @returns null for a run without a step */
export function runFingerprint(records: readonly StepRecord[]): string | null {
  if (records.length === 0) return null;
  const rows = records.slice(0, SINGLE_ROWS).map(rowHash);
  return `${records.length}.${allHash(records)}.${rows.join('')}`;
}

export interface Comparison {
  /** Steps of both that could be told apart. */
  compared: number;
  /** Steps of the sender's run. */
  rows: number;
  /** Of the first 20, the first step that is another; null where none is. */
  differsAt: number | null;
  /** Whether all rows are the same; null while the run has not come so far. */
  isSame: boolean | null;
}

/** @param fingerprint one that `fingerprintPattern` allows */
export function compareWithFingerprint(fingerprint: string, records: readonly StepRecord[]): Comparison {
  const [count, all, single] = fingerprint.split('.');
  const rows = Number(count);
  const sent = single.match(new RegExp(`.{${ROW_DIGITS}}`, 'g')) ?? [];
  const own = records.slice(0, sent.length).map(rowHash);
  const place = own.findIndex((hash, i) => hash !== sent[i]);
  const differsAt = place === -1 ? null : records[place].step;
  const isThere = records.length >= rows;
  return {
    compared: own.length,
    rows,
    differsAt,
    isSame: differsAt !== null ? false : isThere ? allHash(records.slice(0, rows)) === all : null,
  };
}
