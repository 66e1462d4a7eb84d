/** Locks the folder of a run: one process at a time trains into it. */
import { spawnSync } from 'node:child_process';
import { constants, copyFileSync, linkSync, lstatSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { MarbleError } from '../base/error';
import { holdFile, makeFolder, named, randomPath, removeUnfinished } from './files';

/**
 * Makes and locks the folder of a run, and removes what killed processes left unfinished.
 *
 * @param patience - milliseconds to wait for another process that is ending
 * @returns a function that releases the lock
 * @throws MarbleError `command/folder-in-use` if another process trains into the folder, `command/not-written`
 */
export async function lockFolder(folder: string, patience = 0): Promise<() => void> {
  const file = join(folder, 'run.lock');
  const release = await named(file, () => {
    makeFolder(folder);
    return lock(file, patience);
  });
  try {
    await named(folder, () => removeUnfinished(folder));
    return release;
  } catch (thrown) {
    release();
    throw thrown;
  }
}

/** In bytes. */
const longestIdentity = 200;

/**
 * A lock file that names its process, which a killed process leaves behind. The file appears complete, through a hard
 * link to a finished one. Removing an abandoned lock file is protected by a second lock.
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
