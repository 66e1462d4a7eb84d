/** Display names of runs, settings and arms: the preset in words, and settings under the labels of the form. */
import { formFields } from '../../run/config/check-config';
import { completionsOf, type RunConfig } from '../../run/config/config';
import type { ModelChoice } from '../../run/config/model-config';
import { presetOf } from '../../run/config/presets';
import { differences } from '../../run/config/fields';
import { differingSettings, shortLabel } from '../../share/name';
import { presetNames } from './preset-words';
import { realModelOf } from './real-models';
import { warmStartOf } from '../../run/config/warm-start';
import { counted } from '../ui/numbers';

/** Maximum length of a setting's text, which an instruction may exceed. */
const longest = 60;

const otherLabels: Readonly<Record<string, string | undefined>> = {
  preset: 'Experiment',
  model: 'Model',
  'model.kind': 'Kind of model',
  'model.revision': 'Commit of the model',
  'training.mode': 'Training',
  'training.rank': 'LoRA rank',
  'training.alpha': 'LoRA alpha',
  'reward.custom': 'Own reward',
};

const otherNames: Readonly<Record<string, Readonly<Record<string, string>> | undefined>> = {
  preset: presetNames,
  'training.mode': { lora: 'LoRA', full: 'of all weights' },
  'model.name': {
    'ladder-12k': 'small',
    'ladder-25k': 'middle',
    'ladder-100k': 'fourth',
    'ladder-398k': 'large',
    'hitom-mini': 'Hi-ToM',
  },
};

const fieldOf = (path: string) => formFields.find((one) => one.path === path);

/** `learning rate`, `KL penalty`. */
export function settingLabel(path: string): string {
  const label = otherLabels[path] ?? fieldOf(path)?.label ?? shortLabel(path);
  return label.replace(/^(?!LoRA)[A-Z](?=[a-z])/, (first) => first.toLowerCase());
}

/** Name of a value in the form. */
export function valueWords(path: string, text: string): string {
  const value = otherNames[path]?.[text] ?? fieldOf(path)?.names?.[text] ?? text;
  return value.length > longest ? `${value.slice(0, longest)}…` : value;
}

function settingWords(path: string, text: string): string {
  const value = valueWords(path, text);
  return value === '' ? `no ${settingLabel(path)}` : `${settingLabel(path)} ${value}`;
}

/** Short name of a model: that of the page, of its file, or of its repository. */
export function modelTitle(model: ModelChoice): string {
  if (model.kind === 'embedded') return valueWords('model.name', model.name);
  if (model.kind === 'files') return model.name;
  return realModelOf(model)?.name ?? model.repository.split(':').at(-1)!;
}

/** True for the parts of a model, for which its name stands. */
const isOfModel = (path: string): boolean => path.startsWith('model.');

/** The settings of a run that differ from its preset: `seed 3`, `paid for Correct reasoning`. */
export function changesOf(config: RunConfig): string[] {
  const preset = presetOf(config);
  if (preset === null) return [];
  const changed = [...differences(config, preset)];
  const others = changed.filter(([path]) => !isOfModel(path));
  return [
    ...(others.length < changed.length ? [`model ${modelTitle(config.model)}`] : []),
    ...others.map(([path, text]) => settingWords(path, text)),
  ];
}

/** A name with its first differences, and the count of the others. */
function named(name: string, changes: readonly string[], most: number): string {
  const rest = Math.max(0, changes.length - most);
  const others = rest === 0 ? [] : [counted(rest, 'more setting')];
  return [name, ...changes.slice(0, most), ...others].join(', ');
}

/** `First run on a real model, seed 3` */
export const runWords = (config: RunConfig, most = Infinity): string =>
  named(presetNames[config.preset] ?? config.preset, changesOf(config), most);

/** Name without the preset, which may reveal the ending: `Run of seed 3, steps 40`. */
export function runWordsWithoutPreset(config: RunConfig, most = Infinity): string {
  const changes = changesOf(config).filter((words) => !words.startsWith('seed '));
  return named(`Run of seed ${config.seed}`, changes, most);
}

/** `40 steps of 16 examples, then 12 steps of 32 answers`: supervised steps answer nothing. */
export function workWords(config: RunConfig): string {
  const { steps, method } = config;
  const count = completionsOf(config);
  if (method !== 'rl') return `${counted(steps, 'step')} of ${count} examples`;
  const { updates, examples } = warmStartOf(config) ?? { updates: 0, examples: 0 };
  return [
    ...(updates === 0 ? [] : [`${counted(updates, 'step')} of ${examples} examples`]),
    ...(updates === steps ? [] : [`${counted(steps - updates, 'step')} of ${count} answers`]),
  ].join(', then ');
}

/** Settings in which runs differ, with one column for a model. Names that do not tell the models apart are not used. */
export function differingWords(configs: readonly RunConfig[]): { columns: string[]; rows: string[][] } {
  const { columns, rows } = differingSettings(configs);
  const titles = configs.map(({ model }) => modelTitle(model));
  const count = (of: readonly string[]): number => new Set(of).size;
  const hasTitles = count(titles) === count(configs.map(({ model }) => JSON.stringify(model)));
  const place = columns.findIndex(isOfModel);
  if (place < 0 || !hasTitles) return { columns, rows };
  const withTitle = (list: readonly string[], title: string): string[] =>
    list.flatMap((text, at) => (at === place ? [title] : isOfModel(columns[at]) ? [] : [text]));
  return {
    columns: withTitle(columns, 'model'),
    rows: rows.map((row, run) => withTitle(row, titles[run])),
  };
}

/** Arm of each run: the settings that set it apart, without the seed; empty for a single arm. */
export function armsOf(configs: readonly RunConfig[]): string[] {
  const { columns, rows } = differingWords(configs);
  return rows.map((row, run) => {
    const preset = presetOf(configs[run]);
    const removed = preset && differences(configs[run], preset);
    return columns
      .flatMap((path, place) => {
        if (path === 'seed') return [];
        if (path === 'preset') return [valueWords(path, row[place])];
        const isUsual = row[place] === '' && removed?.has(path) !== true;
        return [isUsual ? `${settingLabel(path)} as usual` : settingWords(path, row[place])];
      })
      .join(', ');
  });
}
