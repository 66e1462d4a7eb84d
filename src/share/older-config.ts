/**
 * Configurations as other versions of Marble wrote them, in the browser's storage and in run files. A setting that was
 * not yet there has the value of the preset now; one that is no longer known is left out, and told. What may be left out
 * changes nothing where it is, and is not filled in.
 */
import { isRecord } from '../untrusted';
import type { RunConfig } from '../run/config';
import { defaultPreset, presets } from '../run/presets';
import { runConfigSchema } from '../run/check-config';

/** The part of a valibot schema that a walk over a configuration needs. */
interface SchemaNode {
  type: string;
  /** Of an object. */
  entries?: Readonly<Record<string, SchemaNode>>;
  /** Of one of several objects, each with a literal under `key`. */
  options?: readonly SchemaNode[];
  key?: string;
  literal?: unknown;
  /** Of what may be left out. */
  wrapped?: SchemaNode;
}

function own(fields: unknown, name: string): unknown {
  return isRecord(fields) && Object.hasOwn(fields, name) ? fields[name] : undefined;
}

/** The kind of model or training that this one is. */
function chosenOf({ options = [], key = '' }: SchemaNode, value: unknown): SchemaNode | undefined {
  return options.find(({ entries }) => entries?.[key]?.literal === own(value, key));
}

export interface CompletedConfig {
  /** Unchecked: its values are those that were there. */
  config: unknown;
  /** Names of settings that this version does not know. */
  unknown: string[];
}

/** @param value - of a run record or a file; what is no record of settings stays as it is */
export function completedConfig(value: unknown): CompletedConfig {
  const name = own(value, 'preset');
  const preset =
    typeof name === 'string' && Object.hasOwn(presets, name) ? presets[name] : presets[defaultPreset];
  const unknown: string[] = [];

  function completed(node: SchemaNode, given: unknown, usual: unknown, path: string): unknown {
    if (node.wrapped !== undefined) return completed(node.wrapped, given, undefined, path);
    if (node.type === 'variant') {
      const chosen = chosenOf(node, given);
      // Another kind of model has other settings: the preset's are no help.
      const helpful = chosenOf(node, usual) === chosen ? usual : undefined;
      return chosen === undefined ? given : completed(chosen, given, helpful, path);
    }
    if (node.entries === undefined || !isRecord(given)) return given;
    for (const field of Object.keys(given)) {
      if (!Object.hasOwn(node.entries, field)) unknown.push(`${path}${field}`);
    }
    const fields = Object.entries(node.entries).flatMap(([field, entry]) => {
      const there = own(given, field);
      const needed = entry.wrapped === undefined ? own(usual, field) : undefined;
      if (there === undefined) return needed === undefined ? [] : [[field, structuredClone(needed)]];
      return [[field, completed(entry, there, own(usual, field), `${path}${field}.`)]];
    });
    return Object.fromEntries(fields) as unknown;
  }

  return { config: completed(runConfigSchema as unknown as SchemaNode, value, preset, ''), unknown };
}

/** A configuration of our own storage, which was checked when it was written. */
export function completedOwn(config: RunConfig): RunConfig {
  return completedConfig(config).config as RunConfig;
}
