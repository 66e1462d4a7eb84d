/**
 * Validates run configurations from outside: links, imported runs and forms. The trainer receives only validated
 * configurations. `config.ts` holds the whitelist and the ranges.
 */
import * as v from 'valibot';
import { MarbleError } from '../../base/error';
import { shown } from '../../base/untrusted';
import { isWorldName, worldOrders } from '../../tom/worlds/orders';
import { runConfigSchema, type RunConfig } from './config';
import { importedId } from './imported';
import { embeddedModels, isEmbedded } from './model-config';
import type { FieldText } from './field-schemas';
import { missingAdapter } from './saved-adapter';
import { warmStartOf } from './warm-start';

const tooLong = 80;

/** Type of a field, which determines how it is serialised to text and parsed. */
export type FieldKind = 'number' | 'numbers' | 'texts' | 'boolean' | 'text';

/** Subset of a valibot schema that the field traversal reads. */
interface SchemaNode {
  type: string;
  entries?: Record<string, SchemaNode>;
  options?: readonly SchemaNode[];
  /** `item` is the element schema of an array, `wrapped` the inner schema of an optional field. */
  item?: SchemaNode;
  wrapped?: SchemaNode;
  pipe?: readonly { type: string; requirement?: unknown; metadata?: { text?: FieldText } }[];
}

/** Yields the leaf fields below a node with their dotted paths, in schema order. */
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

/** Fields of a run configuration by dotted path: the whitelist for links. */
export const configFields: ReadonlyMap<string, FieldKind> = new Map(
  fields.map(({ path, node }) => [path, kindOf(node)]),
);

/** Optional fields by dotted path. An empty text is not one of their values, so it states that the field is absent. */
export const omittableFields: ReadonlySet<string> = new Set(
  fields
    .filter(({ node, optional }) => {
      const empty = node.type === 'array' ? [] : '';
      return optional && !v.safeParse(node as unknown as v.GenericSchema, empty).success;
    })
    .map(({ path }) => path),
);

/** Form field with its text and its valid range. */
export interface FormField extends FieldText {
  path: string;
  /** An optional field may be empty and then has no effect. */
  optional: boolean;
  /** Bounds of a numeric field, inclusive. */
  range: readonly [low: number, high: number] | null;
}

/** Form fields in schema order. */
export const formFields: readonly FormField[] = fields.flatMap(({ path, node: { pipe = [] }, optional }) => {
  const text = pipe.find(({ metadata }) => metadata?.text !== undefined)?.metadata?.text;
  const bound = (type: string): unknown => pipe.find((step) => step.type === type)?.requirement;
  const [low, high] = [bound('min_value'), bound('max_value')];
  const range = typeof low === 'number' && typeof high === 'number' ? ([low, high] as const) : null;
  return text === undefined ? [] : [{ ...text, path, optional, range }];
});

/** Returns the form fields that apply to a configuration. `empty` is resolved for its data source. */
export function formFieldsOf({ data: { source }, training }: RunConfig) {
  return formFields
    .filter(({ sources }) => sources?.includes(source) ?? true)
    .filter(({ path }) => path !== 'training.adapter' || training.mode === 'lora')
    .map((field) => ({
      ...field,
      empty: typeof field.empty === 'object' ? field.empty[source] : field.empty,
    }));
}

/** Formats an external value for an error message, truncated to one line. */
export function asWritten(value: unknown): string {
  if (value === '') return 'empty';
  if (typeof value === 'object') return shown(value);
  const written = `${value as string | number}`;
  return written.length > tooLong ? `${written.slice(0, tooLong)}…` : written;
}

const typeWords: Readonly<Record<string, string>> = {
  Object: 'an object',
  Array: 'a list',
  string: 'a text',
  number: 'a number',
  boolean: 'true or false',
};

/** Completion of a sentence that begins with "must be": the schema's own message, or words in place of the library's "Invalid type: Expected …". */
export function requirement({ message, expected }: v.BaseIssue<unknown>): string {
  if (!message.startsWith('Invalid ')) return message;
  return typeWords[expected ?? ''] ?? expected ?? 'valid';
}

/** Describes a validation issue in one sentence: field, value and expected range. */
export function complaint(issue: v.BaseIssue<unknown>): string {
  const path = v.getDotPath(issue) ?? 'the whole';
  const isMissing = issue.input === undefined || typeof issue.input === 'function'; // a list's own method
  if (isMissing) return `${path} is missing.`;
  if (issue.expected === 'never') return `${path} is not a setting that this version knows.`;
  return `${path} is ${asWritten(issue.input)}; it must be ${requirement(issue)}.`;
}

/**
 * Validates a run configuration from outside.
 *
 * @returns a new record of known fields only
 * @throws MarbleError `share/out-of-range`, with the field, its value and its expected range
 */
export function checkRunConfig(value: unknown): RunConfig {
  const result = v.safeParse(runConfigSchema, value, { abortEarly: true });
  const wrong = result.success
    ? (missingModel(result.output) ?? missingAdapter(result.output) ?? unsoundWarmStart(result.output))
    : complaint(result.issues[0]);
  if (wrong === null && result.success) return result.output;
  throw outOfRange(wrong!);
}

const outOfRange = (message: string): MarbleError =>
  new MarbleError(
    'share/out-of-range',
    message,
    'Correct this value in the link or the file, or start from a preset.',
  );

/**
 * Checks that this version can make the stories of a run, or that they are imported. Stored runs of other versions and
 * programs may name others; a link may not, because its run would fail.
 *
 * @throws MarbleError `share/out-of-range`
 */
export function requireKnownSource({ data: { source } }: RunConfig): void {
  if (importedId(source) !== null || isWorldName(source)) return;
  const known = Object.keys(worldOrders).join(', ');
  throw outOfRange(
    `data.source is ${asWritten(source)}; it must be imported: with the id of a data set, or one of ${known}.`,
  );
}

/** Error text for an embedded model that does not ship with the page. Stored runs may still name such a model. */
function missingModel({ model }: RunConfig): string | null {
  if (model.kind !== 'embedded' || isEmbedded(model.name)) return null;
  return `model.name is ${model.name}; it must be one of ${embeddedModels.join(', ')}.`;
}

/** Error text for a warm start that conflicts with other settings. */
function unsoundWarmStart(config: RunConfig): string | null {
  const warm = warmStartOf(config);
  if (warm === null) return null;
  const { full, short, direct } = warm.mix;
  if (direct < -1e-9)
    return `warmStart.short is ${short} beside warmStart.full ${full}; the two must add up to at most 1.`;
  if (config.method !== 'rl')
    return `warmStart.updates is ${warm.updates}; it must be 0 where method is ${config.method}.`;
  if (warm.updates <= config.steps) return null;
  return `warmStart.updates is ${warm.updates}; it must be at most the steps of the run, ${config.steps}.`;
}
