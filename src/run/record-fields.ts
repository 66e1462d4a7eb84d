/**
 * Fields of the records that a run leaves (`events.ts`, `evaluation.ts`, `run-record.ts`). A record may come from a file
 * of anybody: texts and lists are capped, and what a schema does not name is left behind. Metrics may be any number, NaN
 * included: a run that went wrong is worth looking at.
 *
 * Whoever trains imports the types alone: the schemas stay out of the worker.
 */
import * as v from 'valibot';
import type { Accuracy } from '../reward/accuracy';

export const metric = v.custom<number>((value) => typeof value === 'number', 'a number');
export const flag = v.boolean('true or false');
// A story of a data set has 64 kB at most; 8192 tokens can be longer than that.
export const text = v.pipe(v.string('text'), v.maxLength(1_048_576, 'text of at most 1048576 characters'));
export const count = v.pipe(
  v.number('a whole number'),
  v.safeInteger('a whole number'),
  v.minValue(0, 'not negative'),
);

export function listOf<const Schema extends v.GenericSchema>(schema: Schema, most = 1_000_000) {
  return v.pipe(v.array(schema, 'a list'), v.maxLength(most, `a list of at most ${most}`));
}

export const accuracy: v.GenericSchema<Accuracy> = v.object({
  count,
  accuracy: metric,
  low: metric,
  high: metric,
});
