/**
 * The folder that a run is kept in. `run.marble` is the page's own file of a run: record, metrics, rollouts, checkpoint. It
 * is written whole under another name and put in its place at once, so that a kill at any moment leaves the last one that
 * was finished. `metrics.csv` goes with it; the others are written when the run ends.
 */
import {
  closeSync,
  existsSync,
  mkdirSync,
  openAsBlob,
  openSync,
  readFileSync,
  rmSync,
  writeSync,
} from 'node:fs';
import { open, rename } from 'node:fs/promises';
import { join } from 'node:path';
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

export interface RunFolder {
  /** The run that is kept there; null for none. @throws MarbleError those of `unpackRun` */
  load(): Promise<HeldRun | null>;
  /** Puts the run in the place of the one before. @throws MarbleError `command/not-written` */
  save(run: HeldRun): Promise<void>;
  /** The rollouts, and what else is given by name, beside it. @throws MarbleError `command/not-written` */
  saveBeside(run: HeldRun, others: Readonly<Record<string, Blob>>): Promise<void>;
  /** To be called when no more is written. */
  close(): void;
}

/**
 * @throws MarbleError `command/folder-in-use` where another process trains into it, `command/not-written`
 */
export function openRunFolder(folder: string): RunFolder {
  const close = lock(folder);
  const write = async (name: string, content: Blob): Promise<void> => {
    try {
      await writeWhole(join(folder, name), content);
    } catch (thrown) {
      throw notWritten(join(folder, name), thrown);
    }
  };
  return {
    close,
    async load() {
      const file = join(folder, runFileName);
      return existsSync(file) ? heldRun(await unpackRun(await openAsBlob(file))) : null;
    },
    async save(run) {
      await write(runFileName, await packRun(run));
      await write('metrics.csv', new Blob([metricsCsv(run.history.steps, run.history.evals)]));
    },
    async saveBeside({ rollouts }, others) {
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

/** One process at a time: its number stands in a file, which one that was killed leaves behind. */
function lock(folder: string): () => void {
  const file = join(folder, 'run.lock');
  try {
    mkdirSync(folder, { recursive: true });
    if (existsSync(file) && !isRunning(Number(readFileSync(file, 'utf8')))) rmSync(file);
    const handle = openSync(file, 'wx');
    writeSync(handle, String(process.pid));
    closeSync(handle);
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code !== 'EEXIST') throw notWritten(file, thrown);
    throw new MarbleError(
      'command/folder-in-use',
      `Another process (${readFileSync(file, 'utf8')}) trains into ${folder}.`,
      `Wait for it, or take another --out. If none does, delete ${file}.`,
    );
  }
  return () => rmSync(file, { force: true });
}

function isRunning(processId: number): boolean {
  if (!Number.isInteger(processId) || processId <= 0) return false;
  try {
    process.kill(processId, 0); // no signal: it only asks
    return true;
  } catch (thrown) {
    return (thrown as NodeJS.ErrnoException).code === 'EPERM';
  }
}

async function writeWhole(file: string, content: Blob): Promise<void> {
  const unfinished = `${file}.part`;
  const handle = await open(unfinished, 'w');
  try {
    for await (const chunk of content.stream()) await handle.write(chunk);
    await handle.sync(); // or a power cut could leave the new name on an empty file
  } finally {
    await handle.close();
  }
  await rename(unfinished, file);
}

function notWritten(file: string, cause: unknown): MarbleError {
  return new MarbleError(
    'command/not-written',
    `${file} could not be written: ${cause instanceof Error ? cause.message : String(cause)}.`,
    'Make room or name another folder by --out; what was written before stays, and the run goes on from it.',
    { cause },
  );
}
