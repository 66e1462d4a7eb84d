/**
 * A run configuration as flat text, one dotted field each, and back. Only fields of the schema are ever written or
 * read: there is no setter that takes a path from outside.
 */
import type { RunConfig } from '../run/config/config';
import { configFields, type FieldKind } from '../run/config/check-config';

/** Fields by dotted path, in the order of the schema. */
export type Fields = Map<string, string>;

const decimal = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i;

type Leaf = number | number[] | string[] | boolean | string;

function valueAt(config: RunConfig, path: string): Leaf | undefined {
  let value: unknown = config;
  for (const name of path.split('.')) value = (value as Record<string, unknown> | undefined)?.[name];
  return value as Leaf | undefined;
}

/** @returns every field that this configuration has: an embedded model has no `model.url`, most rewards no `targetThinkWords` */
export function fieldsOf(config: RunConfig): Fields {
  const fields: Fields = new Map();
  for (const path of configFields.keys()) {
    const value = valueAt(config, path);
    if (value !== undefined) fields.set(path, String(value)); // a list is joined by commas
  }
  return fields;
}

function numberFrom(text: string): number | string {
  return decimal.test(text) ? Number(text) : text;
}

/** Text that is no value of the kind stays text: the schema then refuses it, by its name and range. */
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

/** @returns the nested record, still to be checked by `checkRunConfig` */
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

/** The field whose value decides which fields stand beside it: `model.kind`, `training.mode`. */
export const deciding: Readonly<Record<string, string>> = {
  'model.kind': 'model.',
  'training.mode': 'training.',
};

/** Fields of `config` whose text is not that of `base`. Where a deciding field differs, all that stand beside it do. */
export function differences(config: RunConfig, base: RunConfig): Fields {
  const before = fieldsOf(base);
  const now = fieldsOf(config);
  const renewed = Object.entries(deciding)
    .filter(([field]) => now.get(field) !== before.get(field))
    .map(([, group]) => group);
  return new Map(
    [...now].filter(
      ([path, text]) => text !== before.get(path) || renewed.some((group) => path.startsWith(group)),
    ),
  );
}

export function sameConfig(one: RunConfig, other: RunConfig): boolean {
  // A setting that may be left out is missing on one side only.
  return differences(one, other).size === 0 && differences(other, one).size === 0;
}
