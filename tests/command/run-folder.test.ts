/** The folder of a run: one process at a time, lock files of killed processes, and a full disk. */
import { spawn } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { runInFolder } from '../../src/command/asked-run';
import { lockFolder } from '../../src/command/folder-lock';
import { saveRun } from '../../src/command/run-log';
import { run } from '../share/run-content';
import { refusalOf } from '../model/refusal';
import { folderForEach } from '../fixtures/folder';
import { sampled } from '../fixtures/sample';

const folderNow = folderForEach('folder');
let folder: string;
beforeEach(() => {
  folder = folderNow();
});
const lock = (): string => join(folder, 'run.lock');

describe('the lock of a run’s folder', () => {
  it('holds while its process lives, and is never an empty file', async () => {
    const release = await lockFolder(folder);
    expect(readFileSync(lock(), 'utf8')).toMatch(new RegExp(`^${process.pid} .`));
    expect(await refusalOf(() => lockFolder(folder))).toBe('command/folder-in-use');
    release();
    (await lockFolder(folder))();
    expect(readdirSync(folder)).toEqual([]);
  });

  it('is taken from a dead process, even if another process has its id now, as in a container', async () => {
    const [, ...started] = await lockFolder(folder).then((release) => {
      const words = readFileSync(lock(), 'utf8').split(' ');
      release();
      return words;
    });
    if (process.platform === 'linux')
      expect(started.at(-1)).toBe(readFileSync('/proc/self/stat', 'utf8').split(') ')[1].split(' ')[19]);
    for (const left of [
      '',
      String(process.pid),
      `${process.pid} ${started.join(' ')}1`,
      '999999999 1 1',
      '-1 x',
    ]) {
      writeFileSync(lock(), left);
      (await lockFolder(folder))();
      expect(existsSync(lock()), left).toBe(false);
    }
  });

  it('is never held by two processes that compete for it', { tags: ['long'], timeout: 300_000 }, async () => {
    const source = join(import.meta.dirname, '../../src/command/folder-lock.ts');
    const program = `import { lockFolder } from ${JSON.stringify(source)};
      import { rmSync, writeFileSync } from 'node:fs';
      while (Date.now() < Number(process.argv[2]));
      lockFolder(process.argv[1]).then((release) => {
        writeFileSync(process.argv[1] + '/had', '', { flag: 'wx' });
        setTimeout(() => { rmSync(process.argv[1] + '/had'); release(); console.log('had'); }, 150);
      }).catch((thrown) => console.log(thrown.code));`;
    for (let round = 0; round < sampled(1, 40); round += 1) {
      writeFileSync(lock(), '999999999 1 1');
      const answers = await Promise.all(
        Array.from({ length: 4 }, async () => {
          const child = spawn(process.execPath, ['--import', 'tsx', '--input-type=module', '-e', program, folder, String(Date.now() + 3000)]); // prettier-ignore
          let said = '';
          child.stdout.on('data', (part) => (said += String(part)));
          await new Promise((resolve) => child.once('close', resolve));
          return said.trim();
        }),
      );
      expect(answers).toContain('had');
      expect(answers.filter((said) => said !== 'had' && said !== 'command/folder-in-use')).toEqual([]);
    }
  });
});

it('files of a folder are never left incomplete, and a run is saved without its metrics', async () => {
  await mkdir(join(folder, 'metrics.csv', 'in the way'), { recursive: true });
  expect(await saveRun(folder, run)).toMatchObject({ code: 'command/not-written' });
  expect(await runInFolder(folder)).not.toBeNull();
  expect(readdirSync(folder).filter((name) => name.endsWith('.part'))).toEqual([]);
});
