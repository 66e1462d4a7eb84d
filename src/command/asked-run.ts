/** Resolves the run that a command names: a preset, a link, or a run file. */
import { openAsBlob, statSync } from 'node:fs';
import { join } from 'node:path';
import { MarbleError } from '../base/error';
import type { BackendName } from '../gpu/engine';
import { checkRunConfig } from '../run/config/check-config';
import type { RunConfig } from '../run/config/config';
import { presetOf, presets } from '../run/config/presets';
import type { SweepAxes } from '../run/sweep/sweep';
import { decodeLink } from '../share/link';
import { unpackRun, type RunFile } from '../share/run-file';

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

export const runFileName = 'run.marble';

/** The run file at a path or inside the folder at that path; null if there is none. */
export function runFileAt(path: string): string | null {
  const stats = statSync(path, { throwIfNoEntry: false });
  if (stats?.isFile() === true) return path;
  const inside = join(path, runFileName);
  return stats?.isDirectory() === true && statSync(inside, { throwIfNoEntry: false })?.isFile() === true
    ? inside
    : null;
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
  const file = name.includes('#') ? null : runFileAt(name);
  if (file !== null) {
    const runFile = await unpackRun(await openAsBlob(file));
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
