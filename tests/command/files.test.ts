/** Folders from strangers: nothing in them leads a reader or a writer elsewhere, and a reader holds one file. */
import { execFileSync } from 'node:child_process';
import {
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { askedRun, runInFolder } from '../../src/command/asked-run';
import {
  makeFolder,
  makeFolderInside,
  notWritten,
  openToAppend,
  writeNamed,
  writeWhole,
} from '../../src/command/files';
import { lockFolder } from '../../src/command/folder-lock';
import { openLog, saveRun } from '../../src/command/run-log';
import { packRun } from '../../src/share/run-file';
import { errorOf, refusalOf } from '../model/refusal';
import { inMemory, run } from '../share/run-content';
import { folderForEach } from '../fixtures/folder';

const parent = folderForEach('strange');
let folder: string;
let precious: string;
const content = 'alias ls=ls\n';

beforeEach(() => {
  folder = join(parent(), 'run');
  precious = join(parent(), '.bashrc');
  mkdirSync(folder);
  writeFileSync(precious, content);
});

/** Saves a run in the folder, which may refuse. */
async function writeAll(): Promise<void> {
  const release = await lockFolder(folder);
  try {
    const log = await openLog(folder, { ...run }).catch(() => undefined);
    await log?.close();
    await saveRun(folder, run).catch(() => undefined);
    await writeNamed(join(folder, 'adapter.zip'), 'x').catch(() => undefined);
  } finally {
    release();
  }
}

describe('a folder with symbolic links', () => {
  it('keeps what they lead to, under every name that a run writes, ever wrote, or could guess', async () => {
    const names = [
      ...'run.marble metrics.csv rollouts.csv everything.jsonl adapter.zip'.split(' '),
      ...'run.lock run.lock.stale run.checkpoint metrics.jsonl rollouts.jsonl'.split(' '),
    ];
    const guessed = [...names, ...names.map((name) => `${name}.part`), `run.lock.${process.pid}`];
    for (const name of guessed) {
      symlinkSync(precious, join(folder, name));
      await writeAll();
      expect(readFileSync(precious, 'utf8'), name).toBe(content);
      rmSync(folder, { recursive: true });
      mkdirSync(folder);
    }
  });

  it('is written nowhere else when they lead to nothing yet', async () => {
    for (const name of ['metrics.csv', 'metrics.csv.part', 'run.lock'])
      symlinkSync(join(parent(), `new-${name}`), join(folder, name));
    await writeAll();
    expect(readdirSync(parent()).sort()).toEqual(['.bashrc', 'run']);
  });

  it('is refused as a run, also where a pipe or a folder has the name', async () => {
    const file = join(folder, 'run.marble');
    writeFileSync(join(parent(), 'other.marble'), new Uint8Array(await (await packRun(run)).arrayBuffer()));
    symlinkSync(join(parent(), 'other.marble'), file);
    const load = () => runInFolder(folder);
    expect(await refusalOf(load)).toBe('command/no-run');
    expect(await refusalOf(() => askedRun(folder))).toBe('command/no-run');
    renameSync(file, join(folder, 'aside'));
    execFileSync('mkfifo', [file]);
    expect(await refusalOf(load)).toBe('command/no-run');
    renameSync(file, join(folder, 'pipe'));
    mkdirSync(file);
    expect(await refusalOf(load)).toBe('command/no-run');
    expect((await askedRun(join(folder, 'aside'))).kept?.history.record.id).toBe(run.history.record.id);
  });

  it('gets no file of a sweep or of an option through a link, and a device stays one', async () => {
    symlinkSync(parent(), join(folder, 'data'));
    symlinkSync(precious, join(folder, 'report.json'));
    const inside = (): unknown => Promise.resolve().then(() => makeFolderInside(folder, 'data'));
    for (const work of [
      inside,
      ...[join(folder, 'report.json'), '/dev/null'].map((name) => () => writeNamed(name, '{}')),
    ])
      expect(await refusalOf(work)).toBe('command/not-written');
    await writeNamed(join(makeFolderInside(folder, 'one'), 'file'), 'x');
    expect(readFileSync(join(folder, 'one/file'), 'utf8')).toBe('x');
    expect(readFileSync(precious, 'utf8')).toBe(content);
  });
});

describe('a file of the command', () => {
  it('replaces its name and not what else has its content, and is not appended to', async () => {
    const file = join(folder, 'metrics.csv');
    linkSync(precious, file);
    expect(await refusalOf(() => openToAppend(file, 0))).toBe('command/not-written');
    await writeWhole(file, 'step\n');
    expect(readFileSync(precious, 'utf8')).toBe(content);
    expect(readdirSync(folder)).toEqual(['metrics.csv']);
  });

  it('that was not written to its end leaves nothing, and its name keeps what it had', async () => {
    const file = join(folder, 'metrics.csv');
    await writeWhole(file, 'step\n');
    function* failing() {
      yield 'step,reward\n';
      throw new Error('no space');
    }
    expect(await refusalOf(() => writeWhole(file, failing()))).toBe('command/not-written');
    expect(readFileSync(file, 'utf8')).toBe('step\n');
    expect(readdirSync(folder)).toEqual(['metrics.csv']);
  });

  it('is read to its end while another one takes its name', async () => {
    const file = join(folder, 'run.marble');
    await writeWhole(file, await packRun(run));
    const asked = await askedRun(folder);
    await writeWhole(file, 'another');
    expect(await inMemory(asked.kept!)).toEqual(run);
  });

  it('is not looked for under a name longer than any, such as a link without #', async () => {
    expect(await refusalOf(() => askedRun('x'.repeat(300)))).toBe('command/unknown-run');
  });

  it('that a killed process left unfinished is removed by the next one', async () => {
    writeFileSync(join(folder, '.marble-0123456789abcdef.part'), 'x');
    mkdirSync(join(folder, '.marble-0123456789abcdee.part'));
    (await lockFolder(folder))();
    expect(readdirSync(folder)).toEqual(['.marble-0123456789abcdee.part']);
  });
});

it('a folder that cannot be made is refused with the reason, and a full disk alone asks for space', async () => {
  const file = join(folder, 'file');
  writeFileSync(file, 'x');
  symlinkSync(join(parent(), 'nowhere'), join(folder, 'dangling'));
  const reasons: [string, RegExp][] = [
    ['', /its name is empty/],
    [file, /file is not a folder/],
    [join(file, 'below', 'deeper'), /file is not a folder/],
    [join(folder, 'dangling'), /dangling is a link to .*nowhere, which does not exist/],
  ];
  for (const [name, reason] of reasons) {
    for (const work of [() => makeFolder(name), () => lockFolder(name)]) {
      const error = await errorOf(work);
      expect(error, name).toMatchObject({ code: 'command/not-written' });
      expect(error!.message, name).toMatch(reason);
      expect(error!.nextStep, name).toMatch(/^Name another folder/);
    }
  }
  expect(existsSync(join(parent(), 'nowhere'))).toBe(false);
  expect(await errorOf(() => writeNamed('', '{}'))).toMatchObject({ code: 'command/not-written' });
  const full = Object.assign(new Error('ENOSPC: no space left on device'), { code: 'ENOSPC' });
  expect(notWritten('run.marble', full).nextStep).toMatch(/^Free disk space, or name another folder/);
});
