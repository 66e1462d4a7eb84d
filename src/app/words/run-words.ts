/** Names of runs for people: the preset in words, and what differs from it under the labels of the form. */
import { formFields } from '../../run/config/check-config';
import type { RunConfig } from '../../run/config/config';
import { presetOf } from '../../run/config/presets';
import { differences } from '../../run/config/fields';
import { modelName, shortLabel } from '../../share/name';
import { presetNames } from './preset-names';

/** Longest text of a setting, which an instruction may exceed. */
const longest = 60;

function settingWords(path: string, text: string): string {
  const field = formFields.find((one) => one.path === path);
  const label = field?.label.toLowerCase() ?? shortLabel(path);
  const value = field?.names?.[text] ?? text;
  const short = value.length > longest ? `${value.slice(0, longest)}…` : value;
  return short === '' ? `no ${label}` : `${label} ${short}`;
}

/** The settings of a run that differ from its preset: `seed 3`, `paid for Correct reasoning`. */
function changesOf(config: RunConfig): string[] {
  const preset = presetOf(config);
  if (preset === null) return [];
  const changed = [...differences(config, preset)];
  const others = changed.filter(([path]) => !path.startsWith('model.'));
  const isOtherModel = others.length < changed.length;
  return [
    ...(isOtherModel ? [`model ${modelName(config.model)}`] : []),
    ...others.map(([path, text]) => settingWords(path, text)),
  ];
}

/** A name with the first of its differences, and the count of the others. */
function named(name: string, changes: readonly string[], most: number): string {
  const rest = Math.max(0, changes.length - most);
  const others = rest === 0 ? [] : [`${rest} more ${rest === 1 ? 'setting' : 'settings'}`];
  return [name, ...changes.slice(0, most), ...others].join(', ');
}

/** `First run on a real model, seed 3` */
export const runWords = (config: RunConfig, most = Infinity): string =>
  named(presetNames[config.preset] ?? config.preset, changesOf(config), most);

/** Without the preset, whose name may tell the ending: `Run of seed 3, steps 40`. */
export function runWordsWithoutPreset(config: RunConfig, most = Infinity): string {
  const changes = changesOf(config).filter((words) => !words.startsWith('seed '));
  return named(`Run of seed ${config.seed}`, changes, most);
}
