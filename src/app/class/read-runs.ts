/** Reads the run files of a class without storing them. An unreadable file does not affect the others. */
import { toErrorReport } from '../../base/error';
import { isSeatNumber } from '../../run/sweep/seats';
import type { RunHistory } from '../../run/record/history';
import { configKey } from '../../run/config/fields';
import { mostSeats } from '../../share/link-extras';
import type { FoundCode } from '../../share/result-code';

export interface ClassRun {
  /** The seat. Outside a class, the first line of the run's note, else the file's name. */
  student: string;
  history: RunHistory;
  file: File;
}

/** A file that was not taken: unreadable, a copy of a run, or replaced by a later file of the same run. */
export interface RefusedFile {
  name: string;
  why: string;
  isCopy: boolean;
}

export interface ReadRuns {
  runs: readonly ClassRun[];
  refused: readonly RefusedFile[];
}

const longestStudent = 60;

/** Wraps a result code as a file. @param before - preceding text of its line, such as a name */
export function codeFile(code: string, before = ''): File {
  const name = `code …${code.slice(-6)}`;
  return new File([code], before === '' ? name : `${before}: ${name}`, { type: 'text/plain' });
}

/**
 * Extracts the distinct codes of a text, each with the text that precedes it.
 *
 * @param found - the codes, in the order of the text
 * @returns `others`: the other lines of the text
 */
export function codesIn(text: string, found: readonly FoundCode[]): { files: File[]; others: string[] } {
  const ends = [0, ...found.map(({ end }) => end)];
  const filled = ends.map((end, index) =>
    text
      .slice(end, found[index]?.start)
      .split('\n')
      .map((line) => line.replace(/^[\s>]+/, '').trimEnd())
      .filter((line) => line !== ''),
  );
  const before = found.map((_, index) =>
    (filled[index].pop() ?? '').slice(-longestStudent).replace(/[:\s]+$/, ''),
  );
  const seen = new Set<string>();
  const isFirst = found.map(({ code }) => seen.size < seen.add(code).size);
  return {
    files: found.flatMap(({ code }, index) => (isFirst[index] ? [codeFile(code, before[index])] : [])),
    others: filled.flat(),
  };
}

export const looksLikeCode = (line: string): boolean => /\bM2\.|\S{20}/.test(line);

/** True for a result code. It has no run to open, since it holds only the result. A `.txt` file is an ordinary file. */
export const isCode = ({ file: { type, name } }: Pick<ClassRun, 'file'>): boolean =>
  type === 'text/plain' && !/\.txt$/i.test(name);

/** Progress of a run in steps. A run that was stopped in its last evaluation has all steps, but is not done. */
const progressOf = ({ history: { record } }: ClassRun): number =>
  record.step + (record.status === 'done' ? 0.5 : 0);

/** True if `run` replaces `other`, a copy of the same run: it has more progress, or the same and is a file, not a code. */
function isBetter(run: ClassRun, other: ClassRun): boolean {
  const progress = progressOf(run) - progressOf(other);
  return progress > 0 || (progress === 0 && isCode(other) && !isCode(run));
}

/** Reads files one by one, and appends their runs to those of `before`. */
export async function readRuns(
  files: readonly File[],
  before: ReadRuns,
  historyOf: (file: File) => Promise<RunHistory>,
): Promise<ReadRuns> {
  const runs = [...before.runs];
  const refused: RefusedFile[] = [];
  const placeOf = new Map(runs.map(({ history }, place) => [history.record.id, place]));
  const refuse = (file: File, why: string, isCopy = false): void => {
    refused.push({ name: file.name, why, isCopy });
  };
  function take(run: ClassRun): void {
    const { student, history, file } = run;
    const place = placeOf.get(history.record.id);
    if (place === undefined) {
      placeOf.set(history.record.id, runs.push(run) - 1);
      return;
    }
    const same = runs[place];
    const asBefore = `the run of ${same.student}, as in ${same.file.name}`;
    if (!isBetter(run, same)) refuse(file, asBefore, true);
    else if (same.student !== student) refuse(file, `${asBefore}, under the name of ${student}`);
    else {
      const why = isCode(same)
        ? `replaced by ${file.name}, the file of the same run`
        : `replaced by ${file.name}, in which the run of ${student} has come further`;
      refuse(same.file, why, true);
      runs[place] = run;
    }
  }
  for (const file of files) {
    const history = await historyOf(file).catch((thrown: unknown) => toErrorReport(thrown).message);
    if (typeof history === 'string') refuse(file, history);
    else take({ student: studentOf(history, file), history, file });
  }
  return { runs, refused };
}

function studentOf({ record }: RunHistory, { name }: File): string {
  const [line] = record.notes.split('\n');
  const student = (record.class?.seat ?? line).trim();
  return student === '' ? name.replace(/\.marble$/, '') : student.slice(0, longestStudent);
}

/** Names of the students. Numbers distinguish equal names: `Ada`, `Ada (2)`. */
export function studentNames(runs: readonly ClassRun[]): string[] {
  const counts = new Map<string, number>();
  return runs.map(({ student }) => {
    const count = (counts.get(student) ?? 0) + 1;
    counts.set(student, count);
    return count === 1 ? student : `${student} (${count})`;
  });
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

/** Numbers from 1 to `seats` without a run. Null if no run has a seat number, or if `seats` is invalid. */
export function missingSeats(runs: readonly Pick<ClassRun, 'student'>[], seats: number): number[] | null {
  const came = new Set(runs.map(({ student }) => student));
  const isNumbered = [...came].some(isSeatNumber);
  if (!isNumbered || !Number.isInteger(seats) || seats < 1 || seats > mostSeats) return null;
  return Array.from({ length: seats }, (_, index) => index + 1).filter((seat) => !came.has(String(seat)));
}
