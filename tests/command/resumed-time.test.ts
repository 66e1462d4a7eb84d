/** The planned time of a resumed run, on a computer of fixed speed. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, vi } from 'vitest';
import { askedRun, type AskedRun } from '../../src/command/asked-run';
import { saveRun } from '../../src/command/run-log';
import { trainInFolder } from '../../src/command/subcommands/train';
import type * as Index from '../../src/index';
import { folderForEach } from '../fixtures/folder';
import { run as wholeRun } from '../share/run-content';
import { manySteps, terminalTo } from './terminal';

vi.mock('../../src/index', async (original) => ({
  ...(await original<typeof Index>()),
  measureSpeed: () => Promise.resolve({ flopsPerSecond: 1e9, secondsPerCall: 1e-4 }),
}));
const folder = folderForEach('planned');

it('the planned time of a resumed run is that of its remaining steps', async () => {
  const { config } = await askedRun(manySteps);
  const { history, checkpoint } = wholeRun;
  const begun = join(folder(), 'begun');
  mkdirSync(begun);
  const record = { ...history.record, config, status: 'stopped' as const };
  const evals = [{ report: { ...history.evals[0].report, step: 4980 } }];
  const rows = { ...history, record, steps: [{ step: 4989 }], evals };
  await saveRun(begun, { history: rows, rollouts: [], checkpoint: { ...checkpoint!, config, step: 4989 } });
  const secondsOf = async (asked: AskedRun | null, folder: string): Promise<number> => {
    const said: string[] = [];
    const request = { asked, folder, changes: {}, backend: 'wasm' as const, places: {} };
    const interrupted = (): AbortSignal => new AbortController().signal;
    // The run ends before its download.
    await expect(
      trainInFolder({ ...request, terminal: terminalTo(said), interrupted }),
    ).rejects.toMatchObject({ code: 'command/not-agreed' });
    const [, count, unit] = /at most about (\d+) (second|minute|hour|day)/.exec(said.at(-1)!)!;
    return Number(count) * { second: 1, minute: 60, hour: 3600, day: 86_400 }[unit]!;
  };
  const whole = await secondsOf(await askedRun(manySteps), join(folder(), 'fresh'));
  expect(await secondsOf(null, begun)).toBeLessThan(whole / 3);
});
