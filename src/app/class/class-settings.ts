/** How runs of a class differ from the runs of their seats, and from each other. */
import type { RunConfig } from '../../run/config/config';
import { fieldsOf } from '../../run/config/fields';
import { armsOf, settingLabel, settingWords } from '../words/run-words';
import type { ClassRun } from './read-runs';

/** Settings of each run that differ from its seat's, as `steps 60`, and its arm, which names them too. */
export function classSettings(
  runs: readonly Pick<ClassRun, 'seat' | 'history'>[],
): { others: string; arm: string }[] {
  const seats = runs.map(({ seat, history }) => seat ?? history.record.config);
  const arms = armsOf(seats);
  return runs.map(({ history }, index) => {
    const others = otherSettings(history.record.config, seats[index]);
    return { others, arm: [arms[index], others].filter((part) => part !== '').join(', ') };
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
      settings: [...new Set(armsOf(configs))].filter((arm) => arm !== ''),
    }));
}
