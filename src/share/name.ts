/** A run's name says what sets it apart: its preset, and every field that differs from the preset. */
import type { ModelChoice, RunConfig } from '../run/config/config';
import { presetOf, presets } from '../run/config/presets';
import { differences } from './fields';
import { configFields } from '../run/config/check-config';

const namedAtMost = 4;
/** Characters of a value: an instruction is longer. */
const valueAtMost = 100;

/** Groups whose fields say little without them. */
const telling = ['kl', 'evaluation', 'warmStart'];

/** The last part of the path where that is enough, else more: `learningRate`, `kl.target`, `evaluation.seed`. */
export function shortLabel(path: string): string {
  const [group, field] = path.split('.').slice(-2);
  if (telling.includes(group)) return `${group}.${field}`;
  const last = path.slice(path.lastIndexOf('.') + 1);
  const sharers = [...configFields.keys()].filter(
    (other) =>
      (other === last || other.endsWith(`.${last}`)) && !telling.includes(other.split('.').at(-2) ?? ''),
  );
  return sharers.length === 1 || path === last ? last : path;
}

/**
 * @param most - differences that are named; what is to last, a report or a citation, names all
 * @returns for example `ladder-25k, seed 3, learningRate 0.001`; after so many differences `and 2 more`
 */
export function runName(config: RunConfig, most: number = namedAtMost): string {
  if (presetOf(config) === null) return config.preset;
  return atMost(config.preset, changesOf(config), most);
}

/**
 * For whoever is to guess how the run ends, which the name of its preset may tell.
 *
 * @returns for example `Run of seed 3, learningRate 0.001`
 */
export function nameWithoutPreset(config: RunConfig, most: number = namedAtMost): string {
  const changes = presetOf(config) === null ? [] : changesOf(config);
  return atMost(
    `Run of seed ${config.seed}`,
    changes.filter(([path]) => path !== 'seed'),
    most,
  );
}

/** A model as whoever wants the same one has to name it. */
export function modelName(model: ModelChoice): string {
  if (model.kind === 'hub') return `${model.repository} at commit ${model.revision}`;
  return model.kind === 'url' ? model.url : model.name;
}

type FieldChange = [path: string, value: string];

function changesOf(config: RunConfig): FieldChange[] {
  return [...differences(config, presets[config.preset])];
}

function atMost(first: string, changes: readonly FieldChange[], most: number): string {
  const short = (value: string): string =>
    value.length <= valueAtMost || most === Infinity ? value : `${value.slice(0, valueAtMost)}…`;
  const named = changes.slice(0, most).map(([path, value]) => `${shortLabel(path)} ${short(value)}`);
  const rest = changes.length - named.length;
  return [first, ...named].join(', ') + (rest > 0 ? ` and ${rest} more` : '');
}
