/**
 * Field schemas of a run's records (`events.ts`, `evaluation.ts`, `run-record.ts`). A record may come from an untrusted
 * file, and the code that lists, draws, cites and resumes runs does not validate again. Every field therefore has a range,
 * and unknown fields are dropped. Metrics may be any number, NaN included, because failed runs are worth inspecting.
 *
 * Training code imports only the types, which keeps the schemas out of the worker bundle.
 */
import * as v from 'valibot';
import type { Accuracy } from '../../reward/accuracy';
import { integer, MOST_STEPS } from '../config/field-schemas';
import { MOST_NAME } from './record-limits';

export const metric = v.custom<number>((value) => typeof value === 'number', 'a number');
export const flag = v.boolean('true or false');
// A data set's story has at most 64 kB; 8192 tokens can be longer.
export const text = v.pipe(v.string('text'), v.maxLength(1_048_576, 'text of at most 1048576 characters'));
export const name = v.pipe(
  v.string('text'),
  v.maxLength(MOST_NAME, `text of at most ${MOST_NAME} characters`),
);
export const step = integer(0, MOST_STEPS);
/** Keeps the byte count (four times as large) and sums of byte counts exact in a number. */
export const count = integer(0, 1e12);
/** Milliseconds since 1970, up to the end of the year 9999. Citations cannot format later dates. */
export const moment = integer(0, 253_402_300_799_999);
/** Index in a list: of a sample in its step. */
export const place = integer(0, 65_536);

export function listOf<const Schema extends v.GenericSchema>(schema: Schema, most = 1_000_000) {
  return v.pipe(v.array(schema, 'a list'), v.maxLength(most, `a list of at most ${most}`));
}

/** Rounding may leave the ends of an interval just outside of [0, 1]. */
const TINY = 1e-9;
const share = v.custom<number>(
  (value) => typeof value === 'number' && !(value < -TINY || value > 1 + TINY),
  'a number from 0 to 1',
);

export const accuracy: v.GenericSchema<Accuracy> = v.pipe(
  v.object({ count, accuracy: share, low: share, high: share }),
  v.check(({ low, high }) => !(low > high), 'an interval whose low end is not above its high one'),
);

const MOST_NAMES = 200;

/** Record with a limited number of names. Each becomes a table row or a chart line. */
export function byName<const Schema extends v.GenericSchema>(schema: Schema) {
  return v.pipe(
    v.record(name, schema),
    v.check((record) => Object.keys(record).length <= MOST_NAMES, `at most ${MOST_NAMES} names`),
  );
}

const DEEPEST = 12;
const MOST_PARTS = 10_000;
const LONGEST_TEXT = 10_000;

const plainWords = `JSON at most ${DEEPEST} deep, of at most ${MOST_PARTS} values, no text longer than ${LONGEST_TEXT}`;

/** True for JSON that is safe to traverse: bounded depth, number of values and text length. */
function isPlain(value: unknown): boolean {
  let parts = 0;
  const holds = (part: unknown, depth: number): boolean => {
    parts += 1;
    if (depth > DEEPEST || parts > MOST_PARTS) return false;
    if (typeof part === 'string') return part.length <= LONGEST_TEXT;
    if (typeof part !== 'object' || part === null) return true;
    return Object.values(part).every((inner) => holds(inner, depth + 1));
  };
  return holds(value, 0);
}

/** JSON that is stored unchanged. */
export const plain = v.custom<unknown>(isPlain, plainWords);
