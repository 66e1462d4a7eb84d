/**
 * What the class was to run, as its files tell. The arms of a class differ by its axes and the seats by their seeds
 * (`run/sweep/seats.ts`); all else is the same for everybody, so what most of the files have there is the class's, and a file
 * that has something else was made with other settings.
 */
import type { RunConfig } from '../../run/config/config';
import { differingSettings, settingName } from '../../share/differing';
import { configKey, fieldsOf } from '../../run/config/fields';
import type { ClassRun } from './read-runs';

export interface ClassSettings {
  /** How many runs have the class's settings; null where as many have others, and nobody can tell. */
  ofClass: number | null;
  /** What the class's settings say of the fields in which some run has others: `steps 40`; empty where all agree. */
  words: string;
  /** For each run what it has instead, `steps 60`; empty for a run of the class's settings. */
  others: string[];
  /** For each run what sets its arm apart; with what it has instead, where it does. */
  arms: string[];
}

/** The settings of `config` with those of `room` wherever a class has no axis. */
function asInClass(config: RunConfig, room: RunConfig): RunConfig {
  const { temperature } = config.rollout;
  const { learningRate } = config.optimizer;
  const { dropShortcutRight, orders } = config.data;
  return {
    ...room,
    seed: config.seed,
    model: config.model,
    algorithm: config.algorithm,
    reward: config.reward,
    rollout: { ...room.rollout, temperature },
    optimizer: { ...room.optimizer, learningRate },
    data: { ...room.data, dropShortcutRight, orders },
  };
}

/** Place of the first run whose settings, axes and seed apart, most runs have, and whether as many have others. */
function commonest(configs: readonly RunConfig[]): { place: number; isTied: boolean } {
  // Every axis at one value: what is left tells the kinds apart.
  const kinds = configs.map((config) => configKey(asInClass(configs[0], config)));
  const counts = kinds.map((kind) => kinds.filter((other) => other === kind).length);
  const most = Math.max(...counts);
  const place = counts.indexOf(most);
  return { place, isTied: counts.some((count, index) => count === most && kinds[index] !== kinds[place]) };
}

/** @param configs - at least one */
export function classSettings(configs: readonly RunConfig[]): ClassSettings {
  const { place, isTied } = commonest(configs);
  const room = configs[place];
  const normal = configs.map((config) => asInClass(config, room));
  const { arms } = differingSettings(normal);
  const paths = new Set<string>();
  const others = configs.map((config, index) => {
    const own = fieldsOf(config);
    const expected = fieldsOf(normal[index]);
    const changed = [...new Set([...own.keys(), ...expected.keys()])].filter(
      (path) => own.get(path) !== expected.get(path),
    );
    for (const path of changed) paths.add(path);
    return settingsWords(changed, own);
  });
  return {
    ofClass: isTied ? null : others.filter((words) => words === '').length,
    words: settingsWords([...paths], fieldsOf(room)),
    others,
    arms: arms.map((arm, index) => [arm, others[index]].filter((part) => part !== '').join(', ')),
  };
}

const namedAtMost = 4;

function settingsWords(paths: readonly string[], fields: ReadonlyMap<string, string>): string {
  const words = paths.map((path) => `${settingName(path)} ${fields.get(path) ?? 'as usual'}`);
  const rest = words.length - namedAtMost;
  return words.slice(0, namedAtMost).join(', ') + (rest > 0 ? ` and ${rest} more` : '');
}

export interface Sender {
  student: string;
  seeds: number[];
  /** What sets the runs apart besides their seeds, each once: `steps 40`; empty where nothing does. */
  settings: string[];
}

/** Students of whom there are several runs, with the seeds of these and what else sets them apart. */
export function sentTwice(runs: readonly ClassRun[]): Sender[] {
  const byStudent = new Map<string, RunConfig[]>();
  for (const { student, history } of runs) {
    byStudent.set(student, [...(byStudent.get(student) ?? []), history.record.config]);
  }
  return [...byStudent]
    .filter(([, configs]) => configs.length > 1)
    .map(([student, configs]) => ({
      student,
      seeds: configs.map(({ seed }) => seed),
      settings: [...new Set(differingSettings(configs).arms)].filter((arm) => arm !== ''),
    }));
}
