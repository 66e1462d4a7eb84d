/**
 * Fields of the records that a run leaves (`events.ts`, `evaluation.ts`, `run-record.ts`). A record may come from a file
 * of anybody, and what the schema accepts is listed, drawn, cited and gone on with by code that checks no more: so every
 * field has a range, and what a schema does not name is left behind. Metrics may be any number, NaN included: a run that
 * went wrong is worth looking at.
 *
 * Whoever trains imports the types alone: the schemas stay out of the worker.
 */
import * as v from 'valibot';
import type { Accuracy } from '../../reward/accuracy';
import { integer, MOST_STEPS } from '../config/config-fields';

export const metric = v.custom<number>((value) => typeof value === 'number', 'a number');
export const flag = v.boolean('true or false');
// A story of a data set has 64 kB at most; 8192 tokens can be longer than that.
export const text = v.pipe(v.string('text'), v.maxLength(1_048_576, 'text of at most 1048576 characters'));
export const name = v.pipe(v.string('text'), v.maxLength(1000, 'text of at most 1000 characters'));
export const step = integer(0, MOST_STEPS);
/** Four times as many bytes, and sums of them, are numbers still. */
export const count = integer(0, 1e12);
/** Milliseconds since 1970, to the end of the year 9999: a later one is no date that a citation could be written with. */
export const moment = integer(0, 253_402_300_799_999);
/** What stands in a list of one number for each: tokens of a completion, samples of a step. */
export const MOST_IN_A_LIST = 65_536;
export const place = integer(0, MOST_IN_A_LIST);

export function listOf<const Schema extends v.GenericSchema>(schema: Schema, most = 1_000_000) {
  return v.pipe(v.array(schema, 'a list'), v.maxLength(most, `a list of at most ${most}`));
}

export const accuracy: v.GenericSchema<Accuracy> = v.object({
  count,
  accuracy: metric,
  low: metric,
  high: metric,
});

/** At most so many names; a table or a chart has a row or a line for each. */
export function byName<const Schema extends v.GenericSchema>(schema: Schema, most = 200) {
  return v.pipe(
    v.record(name, schema),
    v.check((record) => Object.keys(record).length <= most, `at most ${most} names`),
  );
}

const DEEPEST = 12;
const MOST_PARTS = 10_000;
const LONGEST_TEXT = 10_000;

const plainWords = `JSON at most ${DEEPEST} deep, of at most ${MOST_PARTS} values, no text longer than ${LONGEST_TEXT}`;

/** Whether a value is JSON that can be walked through: neither deep nor of many parts or long ones. */
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

/** What is kept as it is. */
export const plain = v.custom<unknown>(isPlain, plainWords);
