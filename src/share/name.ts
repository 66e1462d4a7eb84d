/** A run's name says what sets it apart: its preset, and every field that differs from the preset. */
import type { RunConfig } from '../run/config';
import { presets as housePresets } from '../run/presets';
import { differences } from './fields';
import { configFields } from '../run/check-config';
import type { PresetTable } from './link';

const namedAtMost = 4;

/** Groups whose fields say little without them. */
const telling = ['kl', 'evaluation'];

/** The last part of the path where that is enough, else more: `learningRate`, `kl.target`, `evaluation.seed`. */
export function shortLabel(path: string): string {
  const [group, field] = path.split('.').slice(-2);
  if (telling.includes(group)) return `${group}.${field}`;
  const last = path.slice(path.lastIndexOf('.') + 1);
  const sharers = [...configFields.keys()].filter((other) => other === last || other.endsWith(`.${last}`));
  return sharers.length === 1 || path === last ? last : path;
}

/**
 * @param most - differences that are named; what is to last, a report or a citation, names all
 * @returns for example `micro-collapse, seed 3, learningRate 0.001`; after so many differences `and 2 more`
 */
export function runName(
  config: RunConfig,
  presets: PresetTable = housePresets,
  most: number = namedAtMost,
): string {
  if (!Object.hasOwn(presets, config.preset)) return config.preset;
  const changed = [...differences(config, presets[config.preset])].map(
    ([path, value]) => `${shortLabel(path)} ${value}`,
  );
  const named = changed.slice(0, most);
  const rest = changed.length - named.length;
  return [config.preset, ...named].join(', ') + (rest > 0 ? ` and ${rest} more` : '');
}
