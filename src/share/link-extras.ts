/**
 * Optional fields of a link in addition to a run: the axes of a sweep (`sweep.seed=1,2,3&sweep.reward=tom-rl,faithful`), the
 * seats of a class (`class=25`) and the lesson switch (`lesson=on`). Commas separate the elements of a list; a set of orders
 * is written as digits (`sweep.orders=0123,1`).
 */
import * as v from 'valibot';
import { MarbleError } from '../base/error';
import type { SweepAxes } from '../run/sweep/sweep';
import { integer, oneOf, text } from '../run/config/field-schemas';
import { numberFrom, type Fields } from '../run/config/fields';
import { complaint } from '../run/config/check-config';
import { runConfigSchema } from '../run/config/config';
import { embeddedModels } from '../run/config/model-config';
import { fingerprintPattern } from './run-fingerprint';

export interface LinkExtras {
  /** Backend of the run. Results are bitwise reproducible only on the same backend. */
  backend?: 'webgpu' | 'wasm';
  sweep: SweepAxes;
  /** True if the page hides the ending of a run that has not ended, and all controls that change the experiment. */
  lesson: boolean;
  /** Fingerprint of the sender's run (`run-fingerprint.ts`). */
  fingerprint?: string;
  /** Number of seats of a class. Each student enters a seat number and gets a separate seed. */
  seats?: number;
}

export const mostSeats = 500;

const { reward, algorithm, rollout, optimizer, data, seed } = runConfigSchema.entries;
const mostValues = 50;
const mostRuns = 200;
const someValues = `one to ${mostValues} different values`;

function listOf<const Schema extends v.GenericSchema>(schema: Schema) {
  return v.optional(
    v.pipe(
      v.array(schema, someValues),
      v.minLength(1, someValues),
      v.maxLength(mostValues, someValues),
      v.check((list) => new Set(list.map(String)).size === list.length, someValues),
    ),
  );
}

const axesSchema = v.strictObject({
  model: listOf(oneOf(...embeddedModels)),
  algorithm: listOf(algorithm.entries.name),
  reward: listOf(reward.entries.preset),
  klCoefficient: listOf(algorithm.entries.kl.entries.coefficient),
  temperature: listOf(rollout.entries.temperature),
  learningRate: listOf(optimizer.entries.learningRate),
  dropShortcutRight: listOf(data.entries.dropShortcutRight),
  orders: listOf(data.entries.orders),
  seed: listOf(seed),
});

const extrasSchema = v.strictObject({
  sweep: axesSchema,
  backend: v.optional(oneOf('webgpu', 'wasm')),
  fingerprint: v.optional(text(fingerprintPattern, 'the fingerprint of a run')),
  class: v.optional(integer(1, mostSeats)),
  lesson: v.optional(oneOf('on')),
});

/** Extras that a link contains as plain text. */
const plainExtras = ['backend', 'fingerprint'] as const;

const sweepPrefix = 'sweep.';
const wordAxes: readonly string[] = ['model', 'algorithm', 'reward'];

function axisValue(axis: string, text: string): unknown {
  if (wordAxes.includes(axis)) return text;
  return axis === 'orders' ? Array.from(text, numberFrom) : numberFrom(text);
}

function written(value: unknown): string {
  if (Array.isArray(value)) return value.join('');
  return typeof value === 'object' && value !== null && 'name' in value ? String(value.name) : String(value);
}

/** True if `extrasFrom` reads the field. False for unknown fields. */
export function isExtra(name: string): boolean {
  if (['lesson', 'class', ...plainExtras].includes(name)) return true;
  return name.startsWith(sweepPrefix) && Object.hasOwn(axesSchema.entries, name.slice(sweepPrefix.length));
}

/** @returns the fields that state these extras; none for an axis without values */
export function extraFields({ sweep = {}, lesson = false, seats, ...plain }: Partial<LinkExtras>): Fields {
  const fields: Fields = new Map();
  for (const [axis, values] of Object.entries(sweep) as [string, readonly unknown[] | undefined][]) {
    if (values !== undefined && values.length > 0) {
      fields.set(`${sweepPrefix}${axis}`, values.map(written).join(','));
    }
  }
  for (const name of plainExtras) if (plain[name] !== undefined) fields.set(name, plain[name]);
  if (seats !== undefined) fields.set('class', String(seats));
  if (lesson) fields.set('lesson', 'on');
  return fields;
}

/**
 * Parses the extras from the text fields of a link or a form.
 *
 * @throws MarbleError `share/out-of-range`, naming the field, its value and the allowed range
 */
export function extrasFrom(fields: Fields): LinkExtras {
  const sweep: Record<string, unknown> = {};
  for (const [name, text] of fields) {
    if (!name.startsWith(sweepPrefix) || !isExtra(name)) continue;
    const axis = name.slice(sweepPrefix.length);
    sweep[axis] = text.split(',').map((part) => axisValue(axis, part.trim()));
  }
  const stated: Record<string, unknown> = { sweep };
  for (const name of [...plainExtras, 'lesson']) stated[name] = fields.get(name);
  if (fields.has('class')) stated.class = numberFrom(fields.get('class')!);
  const result = v.safeParse(extrasSchema, stated, { abortEarly: true });
  if (!result.success) {
    throw new MarbleError('share/out-of-range', complaint(result.issues[0]), 'Correct this value.');
  }
  const { sweep: axes, lesson, class: seats, ...plain } = result.output;
  const runs = Object.values(axes).reduce((product, values) => product * values.length, 1);
  if (runs > mostRuns) {
    throw new MarbleError(
      'share/out-of-range',
      `The sweep has ${runs} runs; the limit is ${mostRuns}.`,
      'Remove some values.',
    );
  }
  const { model: names, ...others } = axes;
  const model = names?.map((name) => ({ kind: 'embedded' as const, name }));
  return {
    ...plain,
    sweep: { ...others, ...(model && { model }) },
    lesson: lesson !== undefined,
    ...(seats && { seats }),
  };
}
