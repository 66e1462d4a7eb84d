/**
 * The folder of a run. `run.marble` is the page's file format for a run: record, metrics, rollouts, checkpoint. It is
 * written completely under another name and then renamed, so a kill at any moment leaves the last complete file.
 * `metrics.csv` is written with it; the other files are written when the run ends.
 */
import { spawnSync } from 'node:child_process';
import {
  constants,
  copyFileSync,
  existsSync,
  linkSync,
  mkdirSync,
  openAsBlob,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { open, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { MarbleError } from '../base/error';
import type { Rollout } from '../run/record/rollout-record';
import { metricsCsv, rolloutsCsv } from '../share/csv';
import { packRun, unpackRun, type RunFile } from '../share/run-file';
import { runFileName } from './asked-run';

/** A run with its rollouts in memory, one list for each step. */
export interface HeldRun extends RunFile {
  rollouts: Rollout[][];
}

/** Reads the rollouts of a run's file. @throws MarbleError `share/bad-file` */
export async function heldRun({ rollouts, ...run }: RunFile): Promise<HeldRun> {
  const held: Rollout[][] = [];
  for await (const batch of rollouts) held.push([...batch]);
  return { ...run, rollouts: held };
}

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
    .then(() => mkdirSync(folder, { recursive: true }))
    .then(() => lock(file, patience))
    .catch((thrown: unknown) => {
      throw thrown instanceof MarbleError ? thrown : notWritten(file, thrown);
    });
  const write = async (name: string, content: Blob): Promise<void> => {
    try {
      await writeWhole(join(folder, name), content);
    } catch (thrown) {
      throw notWritten(join(folder, name), thrown);
    }
  };
  return {
    /** Releases the lock after the last write. */
    close,
    /** The saved run; null if there is none. @throws MarbleError those of `unpackRun` */
    async load(): Promise<HeldRun | null> {
      const file = join(folder, runFileName);
      return existsSync(file) ? heldRun(await unpackRun(await openAsBlob(file))) : null;
    },
    /**
     * Replaces the saved run.
     *
     * @returns the error of `metrics.csv`, which the run does not need; null if there is none
     * @throws MarbleError `command/not-written`
     */
    async save(run: HeldRun): Promise<MarbleError | null> {
      await write(runFileName, await packRun(run));
      const metrics = new Blob([metricsCsv(run.history.steps, run.history.evals)]);
      return write('metrics.csv', metrics).then(
        () => null,
        (thrown: unknown) => thrown as MarbleError,
      );
    },
    /** Writes the rollouts and other files by name. @throws MarbleError `command/not-written` */
    async saveBeside({ rollouts }: HeldRun, others: Readonly<Record<string, Blob>>): Promise<void> {
      const lines: string[] = [];
      // oxlint-disable-next-line typescript/require-await -- read in batches elsewhere
      const batches = async function* (): AsyncGenerator<readonly Rollout[]> {
        yield* rollouts;
      };
      for await (const part of rolloutsCsv(batches)) lines.push(part);
      await write('rollouts.csv', new Blob(lines));
      for (const [name, content] of Object.entries(others)) await write(name, content);
    },
  };
}

/**
 * A lock file that names its process, which a killed process leaves behind. The file appears complete, through a hard
 * link to a finished one. Removing an abandoned lock file is protected by a second lock.
 *
 * @param patience - milliseconds to wait for another process that is ending
 * @returns a function that releases the lock
 */
async function lock(file: string, patience: number): Promise<() => void> {
  const ownFile = `${file}.${process.pid}`;
  const until = Date.now() + patience;
  try {
    writeFileSync(ownFile, identityOf(process.pid)!);
    for (;;) {
      try {
        make(file, ownFile);
        return () => rmSync(file, { force: true });
      } catch (thrown) {
        if ((thrown as NodeJS.ErrnoException).code !== 'EEXIST') throw thrown;
      }
      const holder = holderOf(file);
      if (holder === null) continue;
      if (holder === identityOf(parseInt(holder, 10))) {
        if (Date.now() < until) {
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
      if (holderOf(file) === holder) rmSync(file);
      release();
    }
  } finally {
    rmSync(ownFile, { force: true });
  }
}

function holderOf(file: string): string | null {
  try {
    return readFileSync(file, 'utf8');
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code !== 'ENOENT') throw thrown;
    return null; // released in the meantime
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

async function writeWhole(file: string, content: Blob): Promise<void> {
  const unfinished = `${file}.part`;
  try {
    const handle = await open(unfinished, 'w');
    try {
      for await (const chunk of content.stream()) await handle.writeFile(chunk);
      await handle.sync(); // otherwise a power cut could leave the new name on an empty file
    } finally {
      await handle.close();
    }
    await rename(unfinished, file);
  } catch (thrown) {
    await rm(unfinished, { force: true }).catch(() => undefined); // frees space on a full disk
    throw thrown;
  }
}

function notWritten(file: string, cause: unknown): MarbleError {
  return new MarbleError(
    'command/not-written',
    `${file} could not be written: ${cause instanceof Error ? cause.message : String(cause)}.`,
    'Free disk space, or name another folder with --out. Earlier files are intact, and the run resumes from them.',
    { cause },
  );
}
