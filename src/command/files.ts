/**
 * Files that the command reads and writes in a folder, which may come from a stranger: archives, git and rsync keep symbolic
 * links. A file is written completely under a random name that did not exist, and then renamed. No link is followed, and a
 * reader holds one descriptor, so a file that is replaced in the meantime is read to its end.
 */
import { randomBytes } from 'node:crypto';
import {
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readSync,
  renameSync,
  rmSync,
} from 'node:fs';
import { open } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import type { BytesToRead } from '../base/bytes-to-read';
import { MarbleError } from '../base/error';

const unfinishedName = /^\.marble-[0-9a-f]{16}\.part$/;

/** Windows knows neither flag. There a link is refused by `lstat`, and no file waits for a writer. */
const flags = constants as Partial<typeof constants>;
const noLink = flags.O_NOFOLLOW ?? 0;
const noWait = flags.O_NONBLOCK ?? 0;

/** A path in the same folder that nobody can have prepared. */
export function randomPath(folder: string, ending: string): string {
  return join(folder, `.marble-${randomBytes(8).toString('hex')}${ending}`);
}

/** @throws MarbleError `command/not-written` */
export async function writeWhole(
  path: string,
  content: Blob | string | Uint8Array<ArrayBuffer>,
): Promise<void> {
  const unfinished = randomPath(dirname(path), '.part');
  try {
    refuseOther(path, 'a file', (found) => found.isFile());
    try {
      const handle = await open(unfinished, 'wx'); // fails on anything that exists, a link included
      try {
        for await (const chunk of new Blob([content]).stream()) await handle.writeFile(chunk);
        await handle.sync(); // otherwise a power cut could leave the new name on an empty file
      } finally {
        await handle.close();
      }
      renameSync(unfinished, path);
    } catch (thrown) {
      rmSync(unfinished, { force: true }); // frees space on a full disk
      throw thrown;
    }
  } catch (thrown) {
    throw notWritten(path, thrown);
  }
}

/**
 * Writes a file of a folder, and the folders below it that its name has.
 *
 * @param name - with slashes
 * @throws MarbleError `command/not-written`
 */
export async function writeInside(
  folder: string,
  name: string,
  content: Blob | string | Uint8Array<ArrayBuffer>,
): Promise<void> {
  const parents = name.split('/').slice(0, -1);
  try {
    mkdirSync(folder, { recursive: true });
  } catch (thrown) {
    throw notWritten(join(folder, name), thrown);
  }
  parents.forEach((_, index) => makeFolderInside(folder, parents.slice(0, index + 1).join('/')));
  await writeWhole(join(folder, name), content);
}

/** @returns the path of the folder below another one. @throws MarbleError `command/not-written` */
export function makeFolderInside(folder: string, name: string): string {
  const path = join(folder, name);
  try {
    if (!refuseOther(path, 'a folder', (found) => found.isDirectory())) mkdirSync(path);
  } catch (thrown) {
    throw notWritten(path, thrown);
  }
  return path;
}

/** Writes a file that an option names, and the folders above it. @throws MarbleError `command/not-written` */
export async function writeNamed(
  path: string,
  content: Blob | string | Uint8Array<ArrayBuffer>,
): Promise<void> {
  try {
    mkdirSync(dirname(resolve(path)), { recursive: true });
  } catch (thrown) {
    throw notWritten(path, thrown);
  }
  await writeWhole(path, content);
}

/** @returns false if there is nothing at the path. @throws Error if there is something else, such as a link */
function refuseOther(
  path: string,
  what: string,
  isIt: (found: NonNullable<ReturnType<typeof lstatSync>>) => boolean,
): boolean {
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (found === undefined) return false;
  if (isIt(found)) return true;
  throw new Error(found.isSymbolicLink() ? `${path} is a link to another place` : `${path} is not ${what}`);
}

/** Removes what killed processes left unfinished. The folder must be locked. */
export function removeUnfinished(folder: string): void {
  for (const name of readdirSync(folder).filter((one) => unfinishedName.test(one))) {
    try {
      rmSync(join(folder, name), { force: true });
    } catch {
      // A folder of this name is not ours.
    }
  }
}

/** An open file. */
export interface HeldFile extends BytesToRead {
  /** Slices that are read later find no file. */
  close(): void;
}

/**
 * Opens a file through one descriptor.
 *
 * @param isLinkRead - true for a path that an option names; false for a name inside a folder from elsewhere
 * @returns null if there is no file, or if it is none: a link, a folder, a pipe, a device
 * @throws Error of the operating system for a file that may not be read
 */
export function holdFile(path: string, isLinkRead = false): HeldFile | null {
  const found = isLinkRead ? undefined : lstatSync(path, { throwIfNoEntry: false });
  if (!isLinkRead && found?.isFile() !== true) return null;
  let descriptor: number;
  try {
    descriptor = openSync(path, constants.O_RDONLY | noWait | (isLinkRead ? 0 : noLink));
  } catch (thrown) {
    if (['ENOENT', 'ENOTDIR', 'ELOOP'].includes((thrown as NodeJS.ErrnoException).code ?? '')) return null;
    throw thrown;
  }
  const stats = fstatSync(descriptor);
  if (!stats.isFile()) {
    closeSync(descriptor);
    return null;
  }
  const read = (start: number, end: number): Uint8Array<ArrayBuffer> => {
    const bytes = new Uint8Array(Math.max(0, Math.min(end, stats.size) - start));
    let filled = 0;
    while (filled < bytes.length) {
      const count = readSync(descriptor, bytes, filled, bytes.length - filled, start + filled);
      if (count === 0) break; // truncated in the meantime
      filled += count;
    }
    return bytes.slice(0, filled);
  };
  return {
    size: stats.size,
    slice: (start, end) => ({
      arrayBuffer: () => Promise.resolve().then(() => read(start, end).buffer),
      text: () => Promise.resolve().then(() => new TextDecoder().decode(read(start, end))),
    }),
    close: () => closeSync(descriptor),
  };
}

export function notWritten(file: string, cause: unknown): MarbleError {
  return new MarbleError(
    'command/not-written',
    `${file} could not be written: ${cause instanceof Error ? cause.message : String(cause)}.`,
    'Free disk space, or name another folder with --out. Earlier files are intact, and the run resumes from them.',
    { cause },
  );
}
