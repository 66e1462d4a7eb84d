/** Several runs side by side: by which settings they differ, and which of them are one arm. */
import type { RunConfig } from '../run/config/config';
import { presetOf } from '../run/config/presets';
import { differences, fieldsOf, type Fields } from './fields';
import { shortLabel } from './name';

/** Settings as columns of a table: the preset where the runs have several, then what sets any run apart from the others. */
export interface Differing {
  /** Dotted paths. */
  columns: string[];
  /** The text of each column for each run; empty where a run has no such field. */
  rows: string[][];
  /** For each run what sets its arm apart, all columns but the seed: `kl.coefficient 0.05`; empty where there is one arm. */
  arms: string[];
}

/**
 * Of runs of different presets a field counts only where a run has changed it: the rest is what the presets' names say.
 */
export function differingSettings(configs: readonly RunConfig[]): Differing {
  const all = configs.map(fieldsOf);
  const hasSeveral = new Set(configs.map(({ preset }) => preset)).size > 1;
  const changed = configs.map((config) => {
    const preset = presetOf(config);
    return preset && differences(config, preset);
  });
  const own: Fields[] = hasSeveral && changed.every((fields) => fields !== null) ? changed : all;
  const paths = [...new Set(own.flatMap((fields) => [...fields.keys()]))];
  const columns = paths.filter(
    (path) => path !== 'preset' && new Set(own.map((fields) => fields.get(path))).size > 1,
  );
  if (hasSeveral) columns.unshift('preset');
  const rows = all.map((fields) => columns.map((path) => fields.get(path) ?? ''));
  const arms = rows.map((row) =>
    columns.flatMap((path, index) => (path === 'seed' ? [] : [armPart(path, row[index])])).join(', '),
  );
  return { columns, rows, arms };
}

function armPart(path: string, text: string): string {
  if (path === 'preset') return text;
  return `${settingName(path)} ${text === '' ? 'as usual' : text}`;
}

/** As few words as tell it from the other settings: `learningRate`, `kl.target`, `reward`. */
export function settingName(path: string): string {
  return shortLabel(path).replace(/\.(preset|name)$/, '');
}
