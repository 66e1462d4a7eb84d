/** Names of runs: the preset and the fields that differ from it. Settings in which several runs differ. */
import type { RunConfig } from '../run/config/config';
import type { ModelChoice } from '../run/config/model-config';
import { presetOf, presets } from '../run/config/presets';
import { differences, fieldsOf, type Fields } from '../run/config/fields';
import { configFields } from '../run/config/check-config';

const mostChanges = 4;
/** Limit on the characters of a value, which an instruction may exceed. */
const longestValue = 100;

/** Groups that are part of the label, since their fields are unclear without them. */
const labelledGroups = ['kl', 'evaluation', 'warmStart'];

/** Shortest unambiguous suffix of the path: `learningRate`, `kl.target`, `evaluation.seed`. */
export function shortLabel(path: string): string {
  const [group, field] = path.split('.').slice(-2);
  if (labelledGroups.includes(group)) return `${group}.${field}`;
  const last = path.slice(path.lastIndexOf('.') + 1);
  const sharers = [...configFields.keys()].filter(
    (other) =>
      (other === last || other.endsWith(`.${last}`)) &&
      !labelledGroups.includes(other.split('.').at(-2) ?? ''),
  );
  return sharers.length === 1 ? last : path;
}

/** @returns for example `ladder-25k, seed 3, learningRate 0.001`, with `and 2 more` beyond four differences */
export function runName(config: RunConfig): string {
  if (presetOf(config) === null) return config.preset;
  const short = (value: string): string =>
    value.length <= longestValue ? value : `${value.slice(0, longestValue)}…`;
  const changes = [...differences(config, presets[config.preset])];
  const named = changes
    .slice(0, mostChanges)
    .map(([path, value]) =>
      value === '' ? `no ${shortLabel(path)}` : `${shortLabel(path)} ${short(value)}`,
    );
  const rest = changes.length - named.length;
  return [config.preset, ...named].join(', ') + (rest > 0 ? ` and ${rest} more` : '');
}

/** Exact name of a model, with the commit of a repository. */
export function modelName(model: ModelChoice): string {
  return model.kind === 'hub' ? `${model.repository} at commit ${model.revision}` : model.name;
}

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
