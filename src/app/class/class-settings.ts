/** Compares the settings of a class's runs with those of their seats, and with each other. */
import type { RunConfig } from '../../run/config/config';
import { fieldsOf } from '../../run/config/fields';
import { asConfigured } from '../words/arms';
import { armsOf, settingLabel, settingWords } from '../words/run-words';
import type { ClassRun } from './read-runs';

/** For each run, the settings that differ from its seat's, such as `steps 60`, and its arm, which includes them. */
export function classSettings(
  runs: readonly Pick<ClassRun, 'seat' | 'history'>[],
): { others: string; arm: string }[] {
  const seats = runs.map(({ seat, history }) => seat ?? history.record.config);
  const arms = armsOf(seats);
  return runs.map(({ history }, index) => {
    const others = otherSettings(history.record.config, seats[index]);
    return { others, arm: [arms[index], others].filter((part) => part !== '').join(', ') || asConfigured };
  });
}

const namedAtMost = 4;

function otherSettings(config: RunConfig, seat: RunConfig): string {
  const [own, expected] = [fieldsOf(config), fieldsOf(seat)];
  const words = [...new Set([...own.keys(), ...expected.keys()])]
    .filter((path) => own.get(path) !== expected.get(path))
    .map((path) => (own.has(path) ? settingWords(path, own.get(path)!) : `${settingLabel(path)} as usual`));
  const rest = words.length - namedAtMost;
  return words.slice(0, namedAtMost).join(', ') + (rest > 0 ? ` and ${rest} more` : '');
}

export interface Sender {
  student: string;
  seeds: number[];
  /** Distinct differences between the runs other than seeds, such as `steps 40`; empty without any. */
  settings: string[];
}

/** Students with several runs, and the differences between these runs. */
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
      settings: [...new Set(armsOf(configs))].filter((arm) => arm !== ''),
    }));
}
