/** Settings in which several runs differ. */
import type { RunConfig } from '../run/config/config';
import { presetOf } from '../run/config/presets';
import { differences, fieldsOf, type Fields } from '../run/config/fields';

/** Differing settings as columns of a table. The preset is the first column if the runs have several presets. */
export interface Differing {
  /** Dotted paths. */
  columns: string[];
  /** Text of each column for each run; empty if the run lacks the field. */
  rows: string[][];
}

/**
 * Compares the settings of several runs. For runs of different presets it compares only fields that differ from the run's
 * preset, since the preset column represents the others.
 */
export function differingSettings(configs: readonly RunConfig[]): Differing {
  const all = configs.map(fieldsOf);
  const hasSeveral = new Set(configs.map(({ preset }) => preset)).size > 1;
  const changed = configs.map((config) => {
    const preset = presetOf(config);
    return preset && differences(config, preset);
  });
  const compared: Fields[] = hasSeveral && changed.every((fields) => fields !== null) ? changed : all;
  const paths = [...new Set(compared.flatMap((fields) => [...fields.keys()]))];
  const columns = paths.filter(
    (path) => path !== 'preset' && new Set(compared.map((fields) => fields.get(path))).size > 1,
  );
  if (hasSeveral) columns.unshift('preset');
  const rows = all.map((fields) => columns.map((path) => fields.get(path) ?? ''));
  return { columns, rows };
}
