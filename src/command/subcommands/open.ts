/** An adapter or the weights of a small model that another program trained, as a run's folder. */
import { openAsBlob, readdirSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import { MarbleError } from '../../base/error';
import { openRun } from '../../export/open/open-run';
import { isTrainedFile } from '../../export/open/trained-files';
import type { AskedRun } from '../asked-run';
import { modelSourceOf, type Places } from '../model-places';
import { openRunFolder } from '../run-folder';
import type { Terminal } from '../terminal';

export interface OpenRequest {
  /** A file, a zip, or a folder with its subfolders. */
  path: string;
  folder: string;
  /** Settings for an adapter that names no run. */
  asked: Pick<AskedRun, 'config' | 'page'> | null;
  places: Places;
  terminal: Terminal;
}

/** @throws MarbleError `command/no-folder`, `command/other-run`, those of `openRun` and of the places */
export async function openInFolder({ path, folder, asked, places, terminal }: OpenRequest): Promise<void> {
  const files = await filesAt(path);
  const kept = await openRunFolder(folder);
  try {
    if ((await kept.load()) !== null) {
      throw new MarbleError(
        'command/other-run',
        `${folder} holds a run already.`,
        'Take another --out: a folder takes one run.',
      );
    }
    const run = await openRun(files, {
      settings: asked?.config,
      modelSource: (config) =>
        modelSourceOf(config, places, asked?.page ?? null).catch((thrown: unknown) => {
          if (thrown instanceof MarbleError && thrown.code === 'command/not-agreed') return null;
          throw thrown;
        }),
    });
    const unwritten = await kept.save(run);
    if (unwritten !== null) throw unwritten;
    const { record } = run.history;
    terminal.say(`${record.name}: ${record.config.training.mode === 'lora' ? 'an adapter' : 'all weights'}.`);
    if (record.notes !== '') terminal.say(record.notes);
    terminal.say(`In ${folder}: run.marble (open it in the page; marble-rl evaluate judges it).`);
  } finally {
    kept.close();
  }
}

async function filesAt(path: string): Promise<File | Record<string, Blob>> {
  const found = statSync(path, { throwIfNoEntry: false });
  if (found?.isDirectory() === true) {
    const all = readdirSync(path, { recursive: true, encoding: 'utf8' }).filter(
      (name) => sizeAt(join(path, name)) !== null,
    );
    const known = all.filter((name) => isTrainedFile(name, sizeAt(join(path, name))!));
    // Skips other files. Without any known file, the error names them.
    const names = known.length > 0 ? known : all;
    const files = names.map(async (name) => [name.replaceAll('\\', '/'), await fileAt(join(path, name), name)] as const); // prettier-ignore
    return Object.fromEntries(await Promise.all(files));
  }
  if (found?.isFile() === true) return fileAt(path, basename(path));
  throw new MarbleError(
    'command/no-folder',
    `There is nothing at ${path}.`,
    'Name the folder that TRL or verl trained in, a zip of it, or the file of a run.',
  );
}

/** Null without a file, or for a link that leads nowhere or in a circle. */
function sizeAt(path: string): number | null {
  try {
    const found = statSync(path);
    return found.isFile() ? found.size : null;
  } catch {
    return null;
  }
}

async function fileAt(path: string, name: string): Promise<File> {
  return new File([await openAsBlob(path)], name, { lastModified: Math.floor(statSync(path).mtimeMs) });
}
