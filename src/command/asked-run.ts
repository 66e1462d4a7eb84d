/** Which run a command is about: a preset's name, a link, or the file of a run. */
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
  /** Of the link, where it says one. */
  backend?: BackendName;
  sweep: SweepAxes;
  /** The address of the page that the link belongs to; null where it is the part behind the # alone. */
  page: string | null;
  /** Of a run's file. */
  kept: RunFile | null;
  /** Names in the link or the file that this version does not know. */
  ignored: readonly string[];
}

export const ignoredWords = (names: readonly string[]): string =>
  `This version does not know ${names.join(', ')}, and leaves ${names.length === 1 ? 'it' : 'them'} out.`;

/** Whole numbers that stand in the place of the run's own. */
export type RunChanges = Partial<Pick<RunConfig, 'seed' | 'steps'>>;

export const runFileName = 'run.marble';

/** The file of a run that a path names, or the one in the folder that it names; null where there is none. */
export function runFileAt(path: string): string | null {
  const found = statSync(path, { throwIfNoEntry: false });
  if (found?.isFile() === true) return path;
  const inside = join(path, runFileName);
  return found?.isDirectory() === true && statSync(inside, { throwIfNoEntry: false })?.isFile() === true
    ? inside
    : null;
}

/** @throws MarbleError `command/unknown-run`, those of `decodeLink` and `unpackRun`, `share/out-of-range` */
export async function askedRun(asked: string, changes: RunChanges = {}): Promise<AskedRun> {
  const found = await runNamed(asked);
  const isChanged = Object.keys(changes).length > 0;
  return isChanged ? { ...found, config: checkRunConfig({ ...found.config, ...changes }) } : found;
}

async function runNamed(asked: string): Promise<AskedRun> {
  const plain = { page: null, kept: null, sweep: {}, ignored: [] };
  const preset = presetOf({ preset: asked });
  if (preset !== null) return { ...plain, config: preset };
  const file = asked.includes('#') ? null : runFileAt(asked);
  if (file !== null) {
    const kept = await unpackRun(await openAsBlob(file));
    return { ...plain, kept, config: kept.history.record.config, ignored: kept.ignored ?? [] };
  }
  if (!/#|=/.test(asked)) {
    throw new MarbleError(
      'command/unknown-run',
      `“${asked}” is neither a preset nor a link nor the file of a run.`,
      `Presets are ${Object.keys(presets).join(', ')}; quote a link, since a shell reads its # and &.`,
    );
  }
  return { ...plain, ...(await decodeLink(asked)), page: /^(https?:\/\/[^#]+)#/.exec(asked)?.[1] ?? null };
}
