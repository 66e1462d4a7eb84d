/** Reads the run files of a class without storing them. An unreadable file does not affect the others. */
import { toErrorReport } from '../../base/error';
import type { RunHistory } from '../../run/record/history';
import { configKey } from '../../run/config/fields';
import { mostSeats } from '../../share/link-extras';
import type { FoundCode } from '../../share/result-code';

export interface ClassRun {
  /** The seat. Outside a class, the file's name. */
  student: string;
  history: RunHistory;
  file: File;
}

export interface ReadRuns {
  runs: readonly ClassRun[];
  /** Files that were not taken. */
  refused: readonly { name: string; why: string }[];
}

const longestStudent = 60;

/** Wraps the distinct codes of a text as files, each named by the text before it on its line. */
export function codesIn(text: string, found: readonly FoundCode[]): File[] {
  const seen = new Set<string>();
  return found.flatMap(({ code, start }, index) => {
    if (seen.size === seen.add(code).size) return [];
    const before = text.slice(found[index - 1]?.end ?? 0, start).split('\n');
    const line = before.map((one) => one.replace(/^[\s>]+/, '').trimEnd()).findLast((one) => one !== '');
    const names = [(line ?? '').slice(-longestStudent).replace(/[:\s]+$/, ''), `code …${code.slice(-6)}`];
    return new File([code], names.filter(Boolean).join(': '), { type: 'text/plain' });
  });
}

/** True for a result code. It has no run to open, since it holds only the result. */
export const isCode = ({ file }: Pick<ClassRun, 'file'>): boolean => file.type === 'text/plain';

/**
 * Progress of a run in steps. A run that was stopped in its last evaluation has all steps, but is not done. A file counts
 * more than a code of the same progress.
 */
const progressOf = ({ history: { record }, file }: ClassRun): number =>
  record.step + (record.status === 'done' ? 0.5 : 0) + (isCode({ file }) ? 0 : 0.25);

/** Reads files one by one, and adds their runs to those of `before`. Keeps the copy of a seat's run with the most progress. */
export async function readRuns(
  files: readonly File[],
  before: ReadRuns,
  historyOf: (file: File) => Promise<RunHistory>,
): Promise<ReadRuns> {
  const runs = [...before.runs];
  const refused: ReadRuns['refused'][number][] = [];
  for (const file of files) {
    const history = await historyOf(file).catch((thrown: unknown) => toErrorReport(thrown).message);
    if (typeof history === 'string') {
      refused.push({ name: file.name, why: history });
      continue;
    }
    const { record } = history;
    const seat = record.class?.seat.trim().slice(0, longestStudent);
    const run = { student: seat || file.name.replace(/\.marble$/, ''), history, file };
    const place = runs.findIndex(({ history: { record: other } }) => {
      return other.id === record.id && other.class?.seat === record.class?.seat;
    });
    if (place < 0) runs.push(run);
    else if (progressOf(run) > progressOf(runs[place])) runs[place] = run;
  }
  return { runs, refused };
}

/** Flags repeated runs. Runs of the same settings and seed are identical: only the one with the most progress counts. */
export function isRepeated(runs: readonly ClassRun[]): boolean[] {
  const settings = runs.map(({ history }) => configKey(history.record.config));
  const counts = new Map<string, number>();
  runs.forEach((run, index) => {
    const best = counts.get(settings[index]);
    if (best === undefined || progressOf(run) > progressOf(runs[best])) counts.set(settings[index], index);
  });
  return runs.map((_, index) => counts.get(settings[index]) !== index);
}

/** `23 of 25 are in. Missing: 3, 25.`, by the number of seats in the class links of the runs; empty without one. */
export function whoIsInWords(runs: readonly ClassRun[]): string {
  const stated = runs.map(({ history }) =>
    Number(/&class=(\d+)/.exec(history.record.class?.link ?? '')?.[1]),
  );
  const seats = Math.max(0, ...stated.filter((count) => count <= mostSeats));
  const all = Array.from({ length: seats }, (_, index) => index + 1);
  const missing = all.filter((seat) => !runs.some(({ student }) => student === String(seat)));
  if (missing.length === 0) return seats === 0 ? '' : `All ${seats} are in.`;
  return `${seats - missing.length} of ${seats} are in. Missing: ${missing.join(', ')}.`;
}
