/** Names of runs: the preset and the fields that differ from it. */
import type { RunConfig } from '../run/config/config';
import type { ModelChoice } from '../run/config/model-config';
import { presetOf, presets } from '../run/config/presets';
import { differences } from '../run/config/fields';
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
