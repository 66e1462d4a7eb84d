/** `marble-rl export`, called as its own function. */
import { openAsBlob, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, it } from 'vitest';
import type { AskedRun } from '../../src/command/asked-run';
import { exportTo } from '../../src/command/export';
import { exportRun } from '../../src/export/cluster/export-run';
import { unzipFiles } from '../../src/model/files/model-zip';
import { presets } from '../../src/run/config/presets';
import { folderForAll } from '../fixtures/folder';
import { embeddedFiles } from '../export/model-folder';

const config = { ...presets['ladder-25k'], steps: 2 };
const asked: AskedRun = { config, sweep: {}, page: null, kept: null, ignored: [] };

const folder = folderForAll('export');
let said: string[];
const terminal = { isLive: false, say: (line: string) => void said.push(line), show: () => undefined };
beforeEach(() => {
  said = [];
});

it.each(['verl', 'trl'] as const)(
  'marble-rl export writes for %s what the library exports, as a folder and as a zip',
  async (to) => {
    const { files, lost } = await exportRun(config, { to, modelFiles: embeddedFiles('ladder-25k') });
    await exportTo({ asked, to, out: join(folder, to), places: {}, terminal });
    await exportTo({ asked, to, out: join(folder, `${to}.zip`), places: {}, terminal });
    const zipped = await unzipFiles(await openAsBlob(join(folder, `${to}.zip`)));
    expect(Object.keys(zipped).sort()).toEqual([...files.keys()].sort());
    for (const [name, bytes] of files) {
      const written = readFileSync(join(folder, to, name));
      expect(written.equals(bytes), name).toBe(true);
      expect(written.equals(new Uint8Array(await zipped[name].arrayBuffer())), name).toBe(true);
    }
    expect(lost.length).toBeGreaterThan(0);
    for (const { what, instead } of lost) expect(said).toContain(`  ${what}: ${instead}`);
  },
);
