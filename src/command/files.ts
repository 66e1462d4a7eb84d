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
  readlinkSync,
  readSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs';
import { open } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import type { BytesToRead } from '../base/read-within';
import { MarbleError } from '../base/error';
import { badFile } from '../share/record-blocks';

const unfinishedName = /^\.marble-[0-9a-f]{16}\.part$/;

/** Windows knows neither flag. There a link is refused by `lstat`, and no file waits for a writer. */
const flags = constants as Partial<typeof constants>;
const noLink = flags.O_NOFOLLOW ?? 0;
const noWait = flags.O_NONBLOCK ?? 0;

type Chunks = Iterable<Uint8Array | string> | AsyncIterable<Uint8Array | string>;

type Content = Blob | string | Uint8Array | Chunks;

/** An unpredictable path in the folder, at which no other program can have put a file or link. */
export function randomPath(folder: string, ending: string): string {
  return join(folder, `.marble-${randomBytes(8).toString('hex')}${ending}`);
}

/** Names the file in an error of the operating system. @throws MarbleError `command/not-written` */
export async function named<T>(path: string, work: () => T | Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (thrown) {
    throw thrown instanceof MarbleError ? thrown : notWritten(path, thrown);
  }
}

/** @throws MarbleError `command/not-written` */
export function writeWhole(path: string, content: Content): Promise<void> {
  const unfinished = randomPath(dirname(path), '.part');
  return named(path, async () => {
    refuseOther(path, 'file');
    try {
      const handle = await open(unfinished, 'wx'); // fails on anything that exists, a link included
      try {
        for await (const chunk of piecesOf(content)) await handle.appendFile(chunk);
        await handle.sync(); // otherwise a power cut could leave the new name on an empty file
      } finally {
        await handle.close();
      }
      renameSync(unfinished, path);
    } catch (thrown) {
      rmSync(unfinished, { force: true }); // frees space on a full disk
      throw thrown;
    }
  });
}

const piecesOf = (content: Content): Chunks =>
  content instanceof Blob
    ? content.stream()
    : typeof content === 'string' || content instanceof Uint8Array
      ? [content]
      : content;

/**
 * Makes a folder that an option names, and the folders above it. A link to a folder counts as one.
 *
 * @throws MarbleError `command/not-written`
 */
export function makeFolder(folder: string): void {
  try {
    if (folder === '') throw new Error('its name is empty');
    makeWithParents(folder);
  } catch (thrown) {
    throw notWritten(folder === '' ? 'The folder' : folder, thrown);
  }
}

/** Node's own recursive `mkdir` never returns below a folder that refuses new names as `ENOENT`, such as `/proc`. */
function makeWithParents(folder: string): void {
  const path = resolve(folder);
  if (dirname(path) !== path) makeWithParents(dirname(path));
  const found = statSync(path, { throwIfNoEntry: false });
  if (found?.isDirectory() === true) return;
  if (found !== undefined) throw new Error(`${path} is not a folder`);
  if (lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true)
    throw new Error(`${path} is a link to ${readlinkSync(path)}, which does not exist`);
  try {
    mkdirSync(path);
  } catch (thrown) {
    // Another process may have made it in the meantime.
    if (statSync(path, { throwIfNoEntry: false })?.isDirectory() !== true) throw thrown;
  }
}

/** @returns the path of the folder below another one. @throws MarbleError `command/not-written` */
export function makeFolderInside(folder: string, name: string): string {
  const path = join(folder, name);
  try {
    if (!refuseOther(path, 'folder')) mkdirSync(path);
  } catch (thrown) {
    throw notWritten(path, thrown);
  }
  return path;
}

/** Writes a file that an option names, and the folders above it. @throws MarbleError `command/not-written` */
export async function writeNamed(path: string, content: Content): Promise<void> {
  if (path === '') throw notWritten('The file', new Error('its name is empty'));
  makeFolder(dirname(resolve(path)));
  await writeWhole(path, content);
}

/** @returns false if there is nothing at the path. @throws Error if there is something else, such as a link */
function refuseOther(path: string, what: 'file' | 'folder'): boolean {
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (found === undefined) return false;
  if (what === 'file' ? found.isFile() : found.isDirectory()) return true;
  throw new Error(found.isSymbolicLink() ? `${path} is a link to another place` : `${path} is not a ${what}`);
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

/**
 * Opens a file to append to it, after cutting it off at `length` bytes. A link is not followed, also a hard one: another
 * name of the file would lose its content.
 *
 * @throws MarbleError `command/short-log`, and `command/not-written`, as its methods
 */
export async function openToAppend(path: string, length: number, file = path) {
  const flags = constants.O_RDWR | constants.O_CREAT | constants.O_APPEND | noLink | noWait;
  return named(file, async () => {
    const handle = await open(path, flags);
    try {
      const stats = await handle.stat();
      if (!stats.isFile() || stats.nlink > 1) throw new Error(`${path} is a link to another place`);
      if (stats.size < length) throw shortLog(path, `has ${stats.size} bytes`, length);
      if (stats.size > length) await handle.truncate(length);
    } catch (thrown) {
      await handle.close();
      throw thrown;
    }
    return {
      append: (bytes: Uint8Array) => named(file, () => handle.appendFile(bytes)),
      sync: () => named(file, () => handle.sync()),
      close: () => handle.close(),
    };
  });
}

/** Opens the first `length` bytes of a file that grows. @throws MarbleError `command/short-log` if it is shorter or missing */
export function holdStart(path: string, length: number): HeldFile {
  const file = holdFile(path);
  if (file !== null && file.size >= length) return { ...file, size: length };
  file?.close();
  throw shortLog(path, file === null ? 'is missing' : `has ${file.size} bytes`, length);
}

function shortLog(path: string, state: string, length: number): MarbleError {
  return new MarbleError(
    'command/short-log',
    `${path} ${state}, and the checkpoint of its run needs ${length} bytes of it.`,
    'Copy the whole folder of the run again, or start the run in another folder.',
  );
}

const CHUNK = 2 ** 20;

/** Reads a file in chunks of a megabyte. */
export async function* chunksOf(bytes: BytesToRead): AsyncGenerator<Uint8Array<ArrayBuffer>, void, void> {
  for (let start = 0; start < bytes.size; start += CHUNK)
    yield new Uint8Array(await bytes.slice(start, Math.min(start + CHUNK, bytes.size)).arrayBuffer());
}

/** Limit on a line in characters. It is that of a block in a run file. */
const LONGEST_LINE = 64 * 2 ** 20;

/** Reads the lines of a file, without holding more than one and a chunk. @throws MarbleError `share/bad-file` */
export async function* linesOf(bytes: BytesToRead): AsyncGenerator<string, void, void> {
  const decoder = new TextDecoder();
  let rest = '';
  for await (const chunk of chunksOf(bytes)) {
    const lines = decoder.decode(chunk, { stream: true }).split('\n');
    lines[0] = rest + lines[0];
    rest = lines.pop()!;
    yield* lines;
    if (rest.length > LONGEST_LINE)
      throw badFile(`A line of the log has more than ${LONGEST_LINE} characters.`);
  }
  if (rest !== '') yield rest;
}

/** Codes of the operating system for a full disk, a quota and a limit on the size of a file. */
const fullCodes = ['ENOSPC', 'EDQUOT', 'EFBIG'];

export function notWritten(file: string, cause: unknown): MarbleError {
  const code = (cause as NodeJS.ErrnoException | null)?.code ?? '';
  const next =
    code === 'ENOENT'
      ? 'Name another folder with --out, and keep it while the command runs. The files of a folder that was removed are lost.'
      : `${fullCodes.includes(code) ? 'Free disk space, or name' : 'Name'} another folder with --out. Earlier files are intact, and the run resumes from them.`;
  return new MarbleError(
    'command/not-written',
    `${file} could not be written: ${cause instanceof Error ? cause.message : String(cause)}.`,
    next,
    { cause },
  );
}
