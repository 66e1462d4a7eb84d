/** Run files of a class, read without keeping them: from whomever they come, one that cannot be read holds up no other. */
import { toErrorReport } from '../../error';
import { studentOfNote } from '../../run/class-note';
import type { RunHistory } from '../../run/history';
import { importRun } from '../../share/run-file';

export interface ClassRun {
  /** The student's seat or name, as noted in the run; else the file's name. */
  student: string;
  history: RunHistory;
  file: File;
}

/** A file that is no run, or the same run once more. */
export interface RefusedFile {
  name: string;
  why: string;
}

export interface ReadRuns {
  runs: readonly ClassRun[];
  refused: readonly RefusedFile[];
}

const longestStudent = 60;

/**
 * @param before - what was read before: the new runs stand behind it
 * @param onRead - told after each file, so that the page shows how far it is
 */
export async function readRuns(
  files: readonly File[],
  before: ReadRuns,
  onRead: (read: ReadRuns) => void,
): Promise<void> {
  let read: ReadRuns = { runs: before.runs, refused: [] };
  for (const file of files) {
    read = await withFile(file, read);
    onRead(read);
  }
}

async function withFile(file: File, { runs, refused }: ReadRuns): Promise<ReadRuns> {
  try {
    const { history } = await importRun(file);
    const same = runs.find((run) => run.history.record.id === history.record.id);
    if (same !== undefined) {
      return {
        runs,
        refused: [...refused, { name: file.name, why: `It is the run of ${same.student} again.` }],
      };
    }
    return { runs: [...runs, { student: studentOf(history, file), history, file }], refused };
  } catch (thrown) {
    const { message } = toErrorReport(thrown);
    return { runs, refused: [...refused, { name: file.name, why: message }] };
  }
}

/** A note of several lines says more than who it is. */
function studentOf({ record }: RunHistory, { name }: File): string {
  const [line] = record.notes.split('\n');
  const note = studentOfNote(line) ?? line;
  return note.trim() === '' ? name.replace(/\.marble$/, '') : note.trim().slice(0, longestStudent);
}

/** Students of one name are told apart by their order. */
export function studentNames(runs: readonly ClassRun[]): string[] {
  return runs.map(({ student }, index) => {
    const earlier = runs.slice(0, index).filter((run) => run.student === student).length;
    return earlier === 0 ? student : `${student} (${earlier + 1})`;
  });
}
