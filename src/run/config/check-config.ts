/**
 * Checks a run configuration that comes from outside: the link, an imported run and a form all pass through here, so that
 * nothing unchecked ever reaches the trainer. `config.ts` holds the whitelist and the ranges.
 */
import * as v from 'valibot';
import { MarbleError } from '../../base/error';
import { embeddedModels, isEmbedded, runConfigSchema, type RunConfig } from './config';
import type { FieldText } from './config-fields';
import { missingAdapter } from './saved-adapter';
import { warmStartOf } from './warm-start';

const tooLong = 80;

/** How a field is written as text: which also says how to read it. */
export type FieldKind = 'number' | 'numbers' | 'texts' | 'boolean' | 'text';

/** The part of a valibot schema that a walk over the fields needs. */
interface SchemaNode {
  type: string;
  entries?: Record<string, SchemaNode>;
  options?: readonly SchemaNode[];
  /** Of a list, and of a field that may be left out. */
  item?: SchemaNode;
  wrapped?: SchemaNode;
  pipe?: readonly { type: string; requirement?: unknown; metadata?: { text?: FieldText } }[];
}

/** Every field below a node, by its dotted path, in the order of the schema. */
function* fieldsOf(
  node: SchemaNode,
  path = '',
  optional = false,
): Generator<{ path: string; node: SchemaNode; optional: boolean }> {
  if (node.type === 'strict_object') {
    for (const [name, child] of Object.entries(node.entries ?? {}))
      yield* fieldsOf(child, path === '' ? name : `${path}.${name}`, optional);
  } else if (node.type === 'variant') {
    for (const option of node.options ?? []) yield* fieldsOf(option, path, optional);
  } else if (node.wrapped !== undefined) yield* fieldsOf(node.wrapped, path, true);
  else yield { path, node, optional };
}

const fields = [...fieldsOf(runConfigSchema as unknown as SchemaNode)];

function kindOf({ type, item }: SchemaNode): FieldKind {
  if (type === 'array') return item?.type === 'string' ? 'texts' : 'numbers';
  return type === 'number' || type === 'boolean' ? type : 'text';
}

/** Every field of a run configuration by its dotted path: the whitelist of what a link may set. */
export const configFields: ReadonlyMap<string, FieldKind> = new Map(
  fields.map(({ path, node }) => [path, kindOf(node)]),
);

/** A field of the form: its text, and what it may be. */
export interface FormField extends FieldText {
  path: string;
  /** May be left empty: it then has no say. */
  optional: boolean;
  /** The least and the greatest value of a number. */
  range: readonly [low: number, high: number] | null;
}

/** What the form offers, in the order of the schema. */
export const formFields: readonly FormField[] = fields.flatMap(({ path, node: { pipe = [] }, optional }) => {
  const text = pipe.find(({ metadata }) => metadata?.text !== undefined)?.metadata?.text;
  const bound = (type: string): unknown => pipe.find((step) => step.type === type)?.requirement;
  const [low, high] = [bound('min_value'), bound('max_value')];
  const range = typeof low === 'number' && typeof high === 'number' ? ([low, high] as const) : null;
  return text === undefined ? [] : [{ ...text, path, optional, range }];
});

/** The fields that a configuration's form has, `empty` being that of its data source. */
export function formFieldsOf({ data: { source }, training: { mode } }: RunConfig) {
  return formFields
    .filter(({ sources }) => sources?.includes(source) ?? true)
    .filter(({ training }) => training === undefined || training === mode)
    .map((field) => ({
      ...field,
      empty: typeof field.empty === 'object' ? field.empty[source] : field.empty,
    }));
}

/** A value from outside as it stands in an error: never longer than a line. */
export function asWritten(value: unknown): string {
  if (value === '') return 'empty';
  const written =
    typeof value === 'object' && value !== null ? JSON.stringify(value) : `${value as string | number}`;
  return written.length > tooLong ? `${written.slice(0, tooLong)}…` : written;
}

/** What is wrong in one sentence: the field, its value and what it may be. */
export function complaint(issue: v.BaseIssue<unknown>): string {
  const path = v.getDotPath(issue) ?? 'the whole';
  if (issue.input === undefined) return `${path} is missing.`;
  if (issue.expected === 'never') return `${path} is not a setting that this version knows.`;
  return `${path} is ${asWritten(issue.input)}; it must be ${issue.message}.`;
}

/**
 * Checks a run configuration that came from outside.
 *
 * @returns a fresh record of known fields only
 * @throws MarbleError `share/out-of-range`, naming the field, its value and what it may be
 */
export function checkRunConfig(value: unknown): RunConfig {
  const result = v.safeParse(runConfigSchema, value, { abortEarly: true });
  const wrong = result.success
    ? (missingModel(result.output) ?? missingAdapter(result.output) ?? unsoundWarmStart(result.output))
    : complaint(result.issues[0]);
  if (wrong === null && result.success) return result.output;
  throw new MarbleError(
    'share/out-of-range',
    wrong!,
    'Correct this value in the link or the file, or start from a preset.',
  );
}

/** What is wrong where the page ships no such model; a kept run may name it all the same. */
function missingModel({ model }: RunConfig): string | null {
  if (model.kind !== 'embedded' || isEmbedded(model.name)) return null;
  return `model.name is ${model.name}; it must be one of ${embeddedModels.join(', ')}.`;
}

/** What is wrong with a warm start beside the other settings. */
function unsoundWarmStart(config: RunConfig): string | null {
  const warm = warmStartOf(config);
  if (warm === null) return null;
  const { full, short, direct } = warm.mix;
  if (direct < -1e-9)
    return `warmStart.short is ${short} beside warmStart.full ${full}; the two must add up to at most 1.`;
  if (config.method !== 'rl')
    return `warmStart.updates is ${warm.updates}; it must be 0 where method is ${config.method}.`;
  if (warm.updates <= config.steps) return null;
  return `warmStart.updates is ${warm.updates}; it must be at most steps, ${config.steps}, which it is a part of.`;
}
