/** Settings in which several runs differ, and the arm of each run. */
import type { RunConfig } from '../run/config/config';
import { presetOf } from '../run/config/presets';
import { differences, fieldsOf, type Fields } from '../run/config/fields';
import { shortLabel } from './name';

/** Differing settings as columns of a table. The preset is the first column if the runs have several presets. */
export interface Differing {
  /** Dotted paths. */
  columns: string[];
  /** Text of each column for each run; empty if the run lacks the field. */
  rows: string[][];
  /** Name of each run's arm, from all columns except the seed: `kl.coefficient 0.05`; empty for a single arm. */
  arms: string[];
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
  const arms = rows.map((row, run) =>
    columns
      .flatMap((path, index) =>
        path === 'seed' ? [] : [armPart(path, row[index], changed[run]?.has(path) === true)],
      )
      .join(', '),
  );
  return { columns, rows, arms };
}

/** @param isChanged - true if the run's preset has another value */
function armPart(path: string, text: string, isChanged: boolean): string {
  if (path === 'preset') return text;
  if (text === '' && isChanged) return `no ${settingName(path)}`;
  return `${settingName(path)} ${text === '' ? 'as usual' : text}`;
}

/** Shortest unambiguous name of a setting: `learningRate`, `kl.target`, `reward`. */
export function settingName(path: string): string {
  return shortLabel(path).replace(/\.(preset|name)$/, '');
}
