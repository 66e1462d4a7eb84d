/**
 * The folder that a run is kept in. `run.marble` is the page's own file of a run: record, metrics, rollouts, checkpoint. It
 * is written whole under another name and put in its place at once, so that a kill at any moment leaves the last one that
 * was finished. `metrics.csv` goes with it; the others are written when the run ends.
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

/** A run with its rollouts at hand, a list for each step. */
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
 * @param patience - milliseconds for which a process that is ending is waited for
 * @throws MarbleError `command/folder-in-use` where another process trains into it, `command/not-written`
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
    /** To be called when no more is written. */
    close,
    /** The run that is kept there; null for none. @throws MarbleError those of `unpackRun` */
    async load(): Promise<HeldRun | null> {
      const file = join(folder, runFileName);
      return existsSync(file) ? heldRun(await unpackRun(await openAsBlob(file))) : null;
    },
    /**
     * Puts the run in the place of the one before.
     *
     * @returns what is wrong with `metrics.csv` alone, which the run does not need; null for nothing
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
    /** The rollouts, and what else is given by name, beside it. @throws MarbleError `command/not-written` */
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
 * One process at a time: who it is stands in a file, which one that was killed leaves behind. The file comes whole, by a
 * link to one that is written already; whoever takes an abandoned one away holds a lock on doing that.
 *
 * @param patience - milliseconds for which one that is ending is waited for
 * @returns what gives it back
 */
async function lock(file: string, patience: number): Promise<() => void> {
  const own = `${file}.${process.pid}`;
  const until = Date.now() + patience;
  try {
    writeFileSync(own, identityOf(process.pid)!);
    for (;;) {
      try {
        make(file, own);
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
          `Wait for it, or take another --out. If none does, delete ${file}.`,
        );
      }
      const release = await lock(`${file}.stale`, patience);
      if (holderOf(file) === holder) rmSync(file);
      release();
    }
  } finally {
    rmSync(own, { force: true });
  }
}

function holderOf(file: string): string | null {
  try {
    return readFileSync(file, 'utf8');
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code !== 'ENOENT') throw thrown;
    return null; // given back meanwhile
  }
}

/** @throws `EEXIST` where it is there */
function make(file: string, content: string): void {
  try {
    linkSync(content, file);
  } catch (thrown) {
    if (!['EPERM', 'ENOTSUP', 'ENOSYS'].includes((thrown as NodeJS.ErrnoException).code ?? '')) throw thrown;
    copyFileSync(content, file, constants.COPYFILE_EXCL); // a disk without links, as a memory stick
  }
}

/** A process by its number, which is 1 in every container, and by when it started; null where there is none. */
function identityOf(processId: number): string | null {
  try {
    process.kill(processId, 0); // no signal: it only asks
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code !== 'EPERM') return null;
  }
  try {
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
    const status = readFileSync(`/proc/${processId}/stat`, 'utf8');
    return `${processId} ${boot} ${status.slice(status.lastIndexOf(')') + 2).split(' ')[19]}`; // ticks since the boot
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
      await handle.sync(); // or a power cut could leave the new name on an empty file
    } finally {
      await handle.close();
    }
    await rename(unfinished, file);
  } catch (thrown) {
    await rm(unfinished, { force: true }).catch(() => undefined); // a full disk needs its room
    throw thrown;
  }
}

function notWritten(file: string, cause: unknown): MarbleError {
  return new MarbleError(
    'command/not-written',
    `${file} could not be written: ${cause instanceof Error ? cause.message : String(cause)}.`,
    'Make room or name another folder by --out; what was written before stays, and the run goes on from it.',
    { cause },
  );
}
