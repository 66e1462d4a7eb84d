/** Run files of a class, read without keeping them: from whomever they come, one that cannot be read holds up no other. */
import { toErrorReport } from '../../base/error';
import { isSeatNumber, runOfSeat } from '../../run/sweep/seats';
import type { RunConfig } from '../../run/config/config';
import type { RunRecord } from '../../run/record/run-record';
import type { RunHistory } from '../../run/record/history';
import { configKey } from '../../run/config/fields';
import { mostSeats } from '../../share/link-extras';
import type { FoundCode } from '../../share/result-code';
import { decodeLink } from '../../share/settings-link';
import { historyReader, type HistoryReader } from '../session/reading';
import { counted } from '../ui/numbers';

export interface ClassRun {
  /** The seat; outside a class the first line of the run's note, else the file's name. */
  student: string;
  /** Settings of the seat by its class link; null outside a class. */
  seat: RunConfig | null;
  history: RunHistory;
  file: File;
}

/** A file that is no run, or the same run once more, or in the place of which a later one of it stands. */
export interface RefusedFile {
  name: string;
  why: string;
  isCode: boolean;
  isCopy: boolean;
  /** Whose run came once more, and as what: as the same file or code, or else as the same run; null where none did. */
  again: { student: string; what: 'file' | 'code' | 'run' } | null;
}

export interface ReadRuns {
  runs: readonly ClassRun[];
  refused: readonly RefusedFile[];
}

const longestStudent = 60;

/** A result code, to be read as if it were the file of its run. @param before - what stands before it, such as a name */
export function codeFile(code: string, before = ''): File {
  const name = `code …${code.slice(-6)}`;
  return new File([code], before === '' ? name : `${before}: ${name}`, { type: 'text/plain' });
}

/**
 * The codes in a text, each once and with what stands before it.
 *
 * @param found - the codes, in the order in which they stand in the text
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
    (filled[index].pop() ?? '').replace(/[:\s]+$/, '').slice(-longestStudent),
  );
  const seen = new Set<string>();
  const isFirst = found.map(({ code }) => seen.size < seen.add(code).size);
  return {
    files: found.flatMap(({ code }, index) => (isFirst[index] ? [codeFile(code, before[index])] : [])),
    others: filled.flat(),
  };
}

/** Whether a line is, or holds, what is left of a code. */
export const looksLikeCode = (line: string): boolean => /\bM1\.|\S{20}/.test(line);

/** A text without any code is a file like others. */
const isCodeFile = ({ type, name }: File): boolean => type === 'text/plain' && !/\.txt$/i.test(name);

/** Of a code there is no run to open: it holds the result alone. */
export const isCode = ({ file }: ClassRun): boolean => isCodeFile(file);

/** `24 files and 2 codes`: all that came, whether it was taken or not. */
export function sentWords({ runs, refused }: ReadRuns): string {
  const codes = [...runs.map(isCode), ...refused.map((one) => one.isCode)].filter((is) => is).length;
  const files = runs.length + refused.length - codes;
  const parts = [files === 0 ? '' : counted(files, 'file'), codes === 0 ? '' : counted(codes, 'code')];
  return parts.filter((part) => part !== '').join(' and ');
}

/** Of the same run: it has come further, or says more of as many steps, as a file does than a code. */
function isBetter(run: ClassRun, other: ClassRun): boolean {
  const steps = run.history.record.step - other.history.record.step;
  return steps > 0 || (steps === 0 && isCode(other) && !isCode(run));
}

/** Does one piece of work after another, in the order in which they are asked for. @param work - rejects never */
export function oneByOne<T>(work: (of: T) => Promise<void>): (of: T) => Promise<void> {
  let last = Promise.resolve();
  return (of) => (last = last.then(() => work(of)));
}

/** A longer list is handed on when it has grown by this factor: whoever draws it whole each time draws few times its length. */
const growth = 1.5;

/**
 * @param before - what was read before: the new runs stand behind it
 * @param onRead - receives what was read so far, first after one file and last after all
 * @param onFile - called after each file
 */
export async function readRuns(
  files: readonly File[],
  before: ReadRuns,
  onRead: (read: ReadRuns) => void,
  reader: HistoryReader = historyReader(),
  onFile: () => void = () => undefined,
): Promise<void> {
  const list = collected(before.runs);
  let due = list.size() + 1;
  for (const [index, file] of files.entries()) {
    const history = await reader.read(file).catch((thrown: unknown) => toErrorReport(thrown).message);
    list.add(file, history, typeof history === 'string' ? null : await seatOf(history.record));
    if (list.size() >= due || index === files.length - 1) {
      due = growth * list.size();
      onRead(list.read());
    }
    onFile();
  }
  reader.close();
}

/** Runs by their IDs, in the order in which they came, and what was refused. */
function collected(before: readonly ClassRun[]) {
  const runs = [...before];
  const refused: RefusedFile[] = [];
  const placeOf = new Map(runs.map(({ history }, place) => [history.record.id, place]));

  function refuse(file: File, why: string, changes: Partial<RefusedFile> = {}): void {
    refused.push({ name: file.name, why, isCode: isCodeFile(file), isCopy: false, again: null, ...changes });
  }

  return {
    size: () => runs.length + refused.length,
    read: (): ReadRuns => ({ runs: [...runs], refused: [...refused] }),
    /** @param history - or why there is none */
    add(file: File, history: RunHistory | string, seat: RunConfig | null): void {
      if (typeof history === 'string') {
        refuse(file, history);
        return;
      }
      const student = studentOf(history, file);
      const run = { student, seat, history, file };
      const { id } = history.record;
      const place = placeOf.get(id);
      if (place === undefined) {
        placeOf.set(id, runs.push(run) - 1);
        return;
      }
      const same = runs[place];
      const asBefore = `the run of ${same.student}, as in ${same.file.name}`;
      if (!isBetter(run, same)) {
        const isAlike = isCode(run) === isCode(same) && history.record.step === same.history.record.step;
        const what = !isAlike ? 'run' : isCode(run) ? 'code' : 'file';
        refuse(file, asBefore, { isCopy: true, again: { student: same.student, what } });
      } else if (same.student !== student) {
        refuse(file, `${asBefore}, under the name of ${student}`);
      } else {
        const why = isCode(same)
          ? `replaced by ${file.name}, the file of the same run`
          : `replaced by ${file.name}, in which the run of ${student} has come further`;
        refuse(same.file, why, { isCopy: true });
        runs[place] = run;
      }
    },
  };
}

function studentOf({ record }: RunHistory, { name }: File): string {
  const [line] = record.notes.split('\n');
  const student = (record.class?.seat ?? line).trim();
  return student === '' ? name.replace(/\.marble$/, '') : student.slice(0, longestStudent);
}

async function seatOf({ class: ofClass }: RunRecord): Promise<RunConfig | null> {
  if (ofClass === undefined) return null;
  try {
    const { config, sweep, seats = 0 } = await decodeLink(ofClass.link);
    return runOfSeat({ base: config, axes: sweep, seats }, ofClass.seat).config;
  } catch {
    return null; // a link that this version cannot read
  }
}

/** Students of one name are told apart by their order. */
export function studentNames(runs: readonly ClassRun[]): string[] {
  const counts = new Map<string, number>();
  return runs.map(({ student }) => {
    const count = (counts.get(student) ?? 0) + 1;
    counts.set(student, count);
    return count === 1 ? student : `${student} (${count})`;
  });
}

/** Runs of the same settings and seed come out the same: one of them counts, the one that came furthest. */
export function isRepeated(runs: readonly ClassRun[]): boolean[] {
  const settings = runs.map(({ history }) => configKey(history.record.config));
  const counts = new Map<string, number>();
  runs.forEach(({ history }, index) => {
    const best = counts.get(settings[index]);
    if (best === undefined || history.record.step > runs[best].history.record.step) {
      counts.set(settings[index], index);
    }
  });
  return runs.map((_, index) => counts.get(settings[index]) !== index);
}

/** Numbers from 1 to `seats` of which no run has come; null where no run is of a number, or `seats` is none. */
export function missingSeats(runs: readonly ClassRun[], seats: number): number[] | null {
  const came = new Set(runs.map(({ student }) => student));
  const isNumbered = [...came].some(isSeatNumber);
  if (!isNumbered || !Number.isInteger(seats) || seats < 1 || seats > mostSeats) return null;
  return Array.from({ length: seats }, (_, index) => index + 1).filter((seat) => !came.has(String(seat)));
}
