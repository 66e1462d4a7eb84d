/** Resolves the run that a command names: a preset, a link, or a run file. */
import { lstatSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { MarbleError } from '../base/error';
import type { BackendName } from '../gpu/engine';
import { checkRunConfig } from '../run/config/check-config';
import type { RunConfig } from '../run/config/config';
import { presetOf, presets } from '../run/config/presets';
import type { SweepAxes } from '../run/sweep/sweep';
import { decodeLink } from '../share/settings-link';
import { unpackRun, type RunFile } from '../share/run-file';
import { holdFile, type HeldFile } from './files';
import { readLog, runFileName } from './run-log';

export interface AskedRun {
  config: RunConfig;
  /** From the link, if it names one. */
  backend?: BackendName;
  sweep: SweepAxes;
  /** Address of the page in the link; null for a bare fragment (the part after #). */
  page: string | null;
  /** The run file, if the name is one. */
  kept: RunFile | null;
  /** Names in the link or the file that this version does not know. */
  ignored: readonly string[];
}

export const ignoredWords = (names: readonly string[]): string =>
  `This version does not know ${names.join(', ')}, and leaves ${names.length === 1 ? 'it' : 'them'} out.`;

/** Whole numbers that override the run's own. */
export type RunChanges = Partial<Pick<RunConfig, 'seed' | 'steps'>>;

/** In bytes. Operating systems refuse to look for a longer one. */
const LONGEST_FILE_NAME = 255;

/**
 * Opens the run file inside a folder.
 *
 * @returns null if there is none
 * @throws MarbleError `command/no-run` if the folder has something else under its name, such as a link
 */
function heldRunFile(folder: string): HeldFile | null {
  const path = join(folder, runFileName);
  const file = holdFile(path);
  if (file !== null || lstatSync(path, { throwIfNoEntry: false }) === undefined) return file;
  throw new MarbleError(
    'command/no-run',
    `${path} is not a file.`,
    'Name the file of the run itself, or use another folder.',
  );
}

/** The run in a folder: that of its log if a run trains there or was killed, else its run file. Null if there is none. */
export async function runInFolder(folder: string): Promise<RunFile | null> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      const logged = await readLog(folder);
      if (logged !== null) return logged;
      const file = heldRunFile(folder);
      return file === null ? null : await unpackRun(file);
    } catch (thrown) {
      // A process that trains here packs its log or cuts it off in the meantime.
      const isGone = thrown instanceof MarbleError && thrown.code === 'command/short-log';
      if (!isGone || attempt === ATTEMPTS) throw thrown;
      await wait(50 * attempt);
    }
  }
}

const ATTEMPTS = 5;

/** The run of a file, or of the folder at that path; null if there is none. */
export async function runAt(path: string): Promise<RunFile | null> {
  if (Math.max(...path.split('/').map((part) => Buffer.byteLength(part))) > LONGEST_FILE_NAME) return null; // such as a link
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory() === true) return runInFolder(path);
  const file = holdFile(path, true);
  return file === null ? null : unpackRun(file);
}

/**
 * Resolves the run that a command names.
 *
 * @throws MarbleError `command/unknown-run`, those of `decodeLink` and `unpackRun`, `share/out-of-range`
 */
export async function askedRun(name: string, changes: RunChanges = {}): Promise<AskedRun> {
  const run = await runNamed(name);
  const isChanged = Object.keys(changes).length > 0;
  return isChanged ? { ...run, config: checkRunConfig({ ...run.config, ...changes }) } : run;
}

async function runNamed(name: string): Promise<AskedRun> {
  const plain = { page: null, kept: null, sweep: {}, ignored: [] };
  const preset = presetOf({ preset: name });
  if (preset !== null) return { ...plain, config: preset };
  const runFile = name.includes('#') ? null : await runAt(name);
  if (runFile !== null) {
    const { history, ignored = [] } = runFile;
    return { ...plain, kept: runFile, config: history.record.config, ignored };
  }
  if (!/#|=/.test(name)) {
    throw new MarbleError(
      'command/unknown-run',
      `“${name}” is neither a preset, a link nor a run file.`,
      `Presets: ${Object.keys(presets).join(', ')}. Put a link in quotes, because the shell interprets # and &.`,
    );
  }
  return { ...plain, ...(await decodeLink(name)), page: /^(https?:\/\/[^#]+)#/.exec(name)?.[1] ?? null };
}
