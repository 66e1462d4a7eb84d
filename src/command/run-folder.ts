/**
 * The folder of a run. At rest it holds `run.marble`, the page's file format for a run. While the run trains, and after a
 * kill, it also holds the log (`run-log.ts`), which then counts. A stop or the end packs the log into `run.marble`, with
 * `metrics.csv` and at the end the other files. Every file is written completely under another name and then renamed.
 */
import { spawnSync } from 'node:child_process';
import { constants, copyFileSync, linkSync, lstatSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { MarbleError } from '../base/error';
import { emptyHistory } from '../run/record/history';
import { csvParts } from '../share/csv';
import { runJsonl } from '../share/jsonl';
import { packInto, type RunFile } from '../share/run-file';
import { runFileName, runInFolder } from './asked-run';
import {
  chunksOf,
  holdFile,
  makeFolder,
  notWritten,
  randomPath,
  removeUnfinished,
  throughFile,
  writeInside,
  writeWhole,
} from './files';
import { openLog, removeLog, type RunLog } from './run-log';

export type RunFolder = Awaited<ReturnType<typeof openRunFolder>>;

/**
 * Opens and locks the folder of a run.
 *
 * @param patience - milliseconds to wait for another process that is ending
 * @throws MarbleError `command/folder-in-use` if another process trains into the folder, `command/not-written`
 */
export async function openRunFolder(folder: string, patience = 0) {
  const file = join(folder, 'run.lock');
  const close = await Promise.resolve()
    .then(() => makeFolder(folder))
    .then(() => lock(file, patience))
    .catch((thrown: unknown) => {
      throw thrown instanceof MarbleError ? thrown : notWritten(file, thrown);
    });
  removeUnfinished(folder);
  const named = async <T>(name: string, work: () => Promise<T>): Promise<T> => {
    try {
      return await work();
    } catch (thrown) {
      throw thrown instanceof MarbleError ? thrown : notWritten(join(folder, name), thrown);
    }
  };
  const write = (name: string, content: Parameters<typeof writeInside>[2]): Promise<void> =>
    writeInside(folder, name, content);
  return {
    /** Releases the lock after the last write. */
    close,
    /** The saved run; null if there is none. @throws MarbleError those of `unpackRun` and `readLog` */
    load: (): Promise<RunFile | null> => runInFolder(folder),
    /**
     * Opens the log for the rows of a run, and drops those that `run` holds in memory.
     *
     * @throws MarbleError `command/not-written`, `command/short-log`
     */
    async begin(run: RunFile): Promise<RunLog> {
      const log = await named('run.checkpoint', () => openLog(folder, run));
      run.history = { ...emptyHistory, record: run.history.record };
      run.rollouts = [];
      return {
        ...log,
        append: (event) =>
          named(event.type === 'rollouts' ? 'rollouts.jsonl' : 'metrics.jsonl', () => log.append(event)),
        commit: (record, checkpoint) => named('run.checkpoint', () => log.commit(record, checkpoint)),
      };
    },
    /**
     * Replaces the saved run.
     *
     * @returns the error of `metrics.csv`, which the run does not need; null if there is none
     * @throws MarbleError `command/not-written`
     */
    async save(run: RunFile): Promise<MarbleError | null> {
      await named(runFileName, () => packFile(join(folder, runFileName), run));
      return write('metrics.csv', csvParts(run.history.steps)).then(
        () => null,
        (thrown: unknown) => thrown as MarbleError,
      );
    },
    /** Writes the whole record as text, and other files by name. @throws MarbleError `command/not-written` */
    async saveBeside({ history, rollouts }: RunFile, others: Readonly<Record<string, Blob>>): Promise<void> {
      await write('everything.jsonl', runJsonl(history, rollouts));
      for (const [name, content] of Object.entries(others)) await write(name, content);
    },
    removeLog: (): Promise<void> => named('run.checkpoint', () => removeLog(folder)),
  };
}

/** Packs a run. Its blocks pass through a temporary file, because their hashes precede them. */
async function packFile(file: string, run: RunFile): Promise<void> {
  await throughFile(
    dirname(file),
    (append) => packInto(run, append),
    (blocks, { head, arrays }) => writeWhole(file, piecesOf(head, blocks, arrays)),
  );
}

async function* piecesOf(
  head: Uint8Array,
  blocks: Parameters<typeof chunksOf>[0],
  arrays: readonly Float32Array[],
): AsyncGenerator<Uint8Array, void, void> {
  yield head;
  yield* chunksOf(blocks);
  for (const { buffer, byteOffset, byteLength } of arrays)
    yield new Uint8Array(buffer, byteOffset, byteLength);
}

/** In bytes. */
const longestIdentity = 200;

/**
 * A lock file that names its process, which a killed process leaves behind. The file appears complete, through a hard
 * link to a finished one. Removing an abandoned lock file is protected by a second lock.
 *
 * @param patience - milliseconds to wait for another process that is ending
 * @returns a function that releases the lock
 */
async function lock(file: string, patience: number): Promise<() => void> {
  const ownFile = randomPath(dirname(file), '.lock');
  const until = performance.now() + patience;
  try {
    writeFileSync(ownFile, identityOf(process.pid)!, { flag: 'wx' });
    for (;;) {
      try {
        make(file, ownFile);
        return () => rmSync(file, { force: true });
      } catch (thrown) {
        if ((thrown as NodeJS.ErrnoException).code !== 'EEXIST') throw thrown;
      }
      const holder = await holderOf(file);
      if (holder === null) continue;
      if (holder === identityOf(parseInt(holder, 10))) {
        if (performance.now() < until) {
          await wait(200);
          continue;
        }
        throw new MarbleError(
          'command/folder-in-use',
          `Another process (${holder.split(' ')[0]}) trains into ${dirname(file)}.`,
          `Wait for it, or use another --out. If no such process is running, delete ${file}.`,
        );
      }
      const release = await lock(`${file}.stale`, patience);
      if ((await holderOf(file)) === holder) rmSync(file, { force: true });
      release();
    }
  } finally {
    rmSync(ownFile, { force: true });
  }
}

/** Null for a lock that was released in the meantime; empty for one that no process wrote, such as a link. */
async function holderOf(file: string): Promise<string | null> {
  if (lstatSync(file, { throwIfNoEntry: false }) === undefined) return null;
  const held = holdFile(file);
  try {
    return held === null ? '' : await held.slice(0, longestIdentity).text();
  } finally {
    held?.close();
  }
}

/** @throws `EEXIST` if the file exists */
function make(file: string, content: string): void {
  try {
    linkSync(content, file);
  } catch (thrown) {
    if (!['EPERM', 'ENOTSUP', 'ENOSYS'].includes((thrown as NodeJS.ErrnoException).code ?? '')) throw thrown;
    copyFileSync(content, file, constants.COPYFILE_EXCL); // for a disk without hard links, such as a memory stick
  }
}

/**
 * Identifies a process by its id, which is 1 in every container, and by its start time; null if there is no such
 * process.
 */
function identityOf(processId: number): string | null {
  try {
    process.kill(processId, 0); // signal 0 only checks that the process exists
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code !== 'EPERM') return null;
  }
  try {
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
    const status = readFileSync(`/proc/${processId}/stat`, 'utf8');
    return `${processId} ${boot} ${status.slice(status.lastIndexOf(')') + 2).split(' ')[19]}`; // start time in ticks since boot
  } catch {
    const { stdout } = spawnSync('ps', ['-o', 'lstart=', '-p', String(processId)], { encoding: 'utf8' });
    return `${processId} ${stdout?.trim() ?? ''}`; // Windows has neither
  }
}
