/** Reads the files of a class and keeps them in the browser's storage. A reload reads them again. */
import { toErrorReport } from '../../base/error';
import { createReader } from '../session/reading';
import { filesLeft, nothingRead, results, showsEndings, unkept } from './class-state';
import { readRuns, type ClassRun } from './read-runs';

const { asked, read: readFiles, close } = createReader();

let last = Promise.resolve();
/** Begins after all earlier work, and closes the worker afterwards. @param work - must never reject */
const inTurn = (work: () => Promise<void>): Promise<void> => (last = last.then(() => work().finally(close)));

let stored: ReadonlySet<ClassRun> = new Set();

/** Calls the storage. Its error is shown with the runs. */
function inStorage(work: Parameters<typeof asked>[0]): Promise<unknown> {
  return asked(work).catch((thrown: unknown) => {
    unkept.value = toErrorReport(thrown).message;
    return null;
  });
}

async function read(files: readonly File[]): Promise<void> {
  results.value = await readRuns(files, results.value, (file) =>
    readFiles([file], (service) => service.readHistory(file)).finally(() => (filesLeft.value -= 1)),
  );
}

/** Queues files for reading. Their runs are appended to the earlier results. */
export async function takeFiles(files: readonly File[]): Promise<void> {
  filesLeft.value += files.length;
  await inTurn(async () => {
    unkept.value = '';
    await read(files);
    const { runs } = results.value;
    const added = runs.flatMap((run, place) =>
      stored.has(run) ? [] : [{ run: run.history.record.id, place, file: run.file }],
    );
    await inStorage((service) => service.keepClass(added));
    if (unkept.value !== '') return;
    stored = new Set(runs);
    unkept.value = null;
  });
}

let isRestored = false;

/** Reads the stored files, once for each load of the page. */
export async function restoreClass(): Promise<void> {
  if (isRestored) return;
  isRestored = true;
  await inTurn(async () => {
    const files = ((await inStorage((service) => service.classFiles())) ?? []) as File[];
    filesLeft.value += files.length;
    await read(files);
    stored = new Set(results.value.runs);
  });
}

export async function clearClass(): Promise<void> {
  results.value = nothingRead;
  showsEndings.value = false;
  await inTurn(async () => {
    stored = new Set();
    unkept.value = null;
    await inStorage((service) => service.clearClass());
  });
}
