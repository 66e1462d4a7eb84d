/**
 * Converts a run configuration to text fields with dotted paths and back. Reads and writes only the paths of the schema, so
 * untrusted input cannot set other properties.
 */
import type { RunConfig } from './config';
import { configFields, formFields, type FieldKind } from './check-config';

/** Fields by dotted path, in the order of the schema. */
export type Fields = Map<string, string>;

const decimal = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i;

type Leaf = number | number[] | string[] | boolean | string;

function valueAt(config: RunConfig, path: string): Leaf | undefined {
  let value: unknown = config;
  for (const name of path.split('.')) value = (value as Record<string, unknown> | undefined)?.[name];
  return value as Leaf | undefined;
}

/** @returns all fields that are set in the configuration; an embedded model, for example, has no `model.revision` */
export function fieldsOf(config: RunConfig): Fields {
  const fields: Fields = new Map();
  for (const path of configFields.keys()) {
    const value = valueAt(config, path);
    if (value !== undefined) fields.set(path, String(value)); // joins lists with commas
  }
  return fields;
}

/** Returns text that is not a decimal number unchanged. */
export function numberFrom(text: string): number | string {
  return decimal.test(text) ? Number(text) : text;
}

/** Parses a value. Text that is not of the kind is returned unchanged, and the schema then rejects it with a message. */
function valueFrom(text: string, kind: FieldKind): Leaf | (number | string)[] {
  switch (kind) {
    case 'number':
      return numberFrom(text);
    case 'numbers':
      return text === '' ? [] : text.split(',').map(numberFrom);
    case 'texts':
      return text === '' ? [] : text.split(',');
    case 'boolean':
      return text === 'true' ? true : text === 'false' ? false : text;
    case 'text':
      return text;
  }
}

/** @returns the nested record, unchecked: pass it to `checkRunConfig` */
export function recordFrom(fields: Fields): Record<string, unknown> {
  const record: Record<string, unknown> = {};
  for (const [path, kind] of configFields) {
    const text = fields.get(path);
    if (text === undefined) continue;
    const names = path.split('.');
    const last = names.pop()!;
    let place = record;
    for (const name of names) place = (place[name] ??= {}) as Record<string, unknown>;
    place[last] = valueFrom(text, kind);
  }
  return record;
}

/** Discriminators and the prefix of the group whose fields depend on them. */
export const deciding: Readonly<Record<string, string>> = {
  'model.kind': 'model.',
  'training.mode': 'training.',
};

/**
 * Fields of `config` that differ from `base`. If a discriminator differs, its whole group is included. An optional field
 * that only `base` sets is the empty text, unless the data source of `config` does not have it.
 */
export function differences(config: RunConfig, base: RunConfig): Fields {
  const baseFields = fieldsOf(base);
  const fields = fieldsOf(config);
  const changedGroups = Object.entries(deciding)
    .filter(([field]) => fields.get(field) !== baseFields.get(field))
    .map(([, group]) => group);
  const { source } = config.data;
  const isOfSource = (path: string): boolean =>
    formFields.find((field) => field.path === path)?.sources?.includes(source) ?? true;
  return new Map(
    [...configFields.keys()].flatMap((path): [string, string][] => {
      const text = fields.get(path);
      const isOfGroup = changedGroups.some((group) => path.startsWith(group));
      if (text !== undefined) return isOfGroup || text !== baseFields.get(path) ? [[path, text]] : [];
      return baseFields.has(path) && !isOfGroup && isOfSource(path) ? [[path, '']] : [];
    }),
  );
}

/** Text of all settings, equal for equal configurations only. */
export function configKey(config: RunConfig): string {
  return JSON.stringify([...fieldsOf(config)]);
}

/** The only comparison of whole configurations. An optional setting that is absent differs from one that is present. */
export function sameConfig(one: RunConfig, other: RunConfig): boolean {
  return configKey(one) === configKey(other);
}
