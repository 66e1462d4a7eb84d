/** The planned time of a sweep and of a resumed run, on a computer of fixed speed. Wasm stands in for the GPU. */
import { afterEach, expect, it, vi } from 'vitest';
import { askedRun, type AskedRun } from '../../src/command/asked-run';
import { backendOf } from '../../src/command/machine';
import { openRunFolder } from '../../src/command/run-folder';
import { saySweepTime } from '../../src/command/subcommands/plan-command';
import { trainInFolder } from '../../src/command/subcommands/train';
import type * as Index from '../../src/index';
import { expandSweep } from '../../src/run/sweep/sweep';
import { folderForEach } from '../fixtures/folder';
import { run as wholeRun } from '../share/run-content';
import { manySteps, terminalTo } from './terminal';

vi.mock('../../src/command/machine', async (original) => ({
  ...(await original<object>()),
  backendOf: vi.fn(),
}));
vi.mock('../../src/index', async (original) => {
  const index = await original<typeof Index>();
  let plan: ReturnType<typeof index.planRun> | undefined; // all runs differ in their seeds only
  return {
    ...index,
    planRun: (model, config, _, imported) => (plan ??= index.planRun(model, config, 'wasm', imported)),
    openEngine: () => index.openEngine({ backend: 'wasm', threads: 1 }),
    measureSpeed: () => Promise.resolve({ flopsPerSecond: 1e9, secondsPerCall: 1e-4 }),
  } satisfies typeof index;
});
const folder = folderForEach('planned');
afterEach(() => vi.unstubAllGlobals());

async function hoursOf(backend: 'wasm' | 'webgpu', seeds: readonly number[], processes: number) {
  vi.mocked(backendOf).mockResolvedValue({ backend, reason: '' });
  const said: string[] = [];
  const { config } = await askedRun(manySteps);
  const runs = expandSweep(config, { seed: seeds });
  await saySweepTime({ runs, processes, page: null, places: {}, terminal: terminalTo(said) });
  expect(said).toHaveLength(1);
  const [, time, unit] = /^The \d+ runs take at most about (\d+) (days|hours), /.exec(said[0])!;
  return Number(time) * (unit === 'days' ? 24 : 1);
}

const eight = [1, 2, 3, 4, 5, 6, 7, 8];

it('the time of all runs of a sweep is printed before the command asks for a download', async () => {
  const fetched = vi.fn(() => Promise.reject(new Error('offline')));
  vi.stubGlobal('fetch', fetched);
  const [two, all, shared] = [
    await hoursOf('wasm', [1, 2], 1),
    await hoursOf('wasm', eight, 1),
    await hoursOf('wasm', eight, 4),
  ];
  expect(fetched).not.toHaveBeenCalled();
  expect(all / two).toBeCloseTo(4, 0);
  expect(all / shared).toBeCloseTo(4, 0);
  expect(await hoursOf('wasm', [1, 2], 8)).toBe(await hoursOf('wasm', [1, 2], 2)); // a process without a run saves nothing
  expect(await hoursOf('wasm', [1, 2, 3], 2)).toBe(two); // one process trains two of the three
});

it('more processes make a sweep on one GPU no faster', async () => {
  expect(await hoursOf('webgpu', [1, 2], 4)).toBe(await hoursOf('webgpu', [1, 2], 1));
});

it('the planned time of a resumed run is that of its remaining steps', async () => {
  vi.mocked(backendOf).mockResolvedValue({ backend: 'wasm', reason: '' });
  const { history, checkpoint } = wholeRun;
  const held = await openRunFolder(folder());
  const record = { ...history.record, status: 'stopped' as const };
  const evals = [{ report: { ...history.evals[0].report, step: 140 } }];
  const rows = { ...history, record, steps: [{ step: 149 }], evals };
  await held.save({ history: rows, rollouts: [], checkpoint: { ...checkpoint!, step: 149 } });
  held.close();
  const secondsOf = async (asked: AskedRun | null): Promise<number> => {
    const said: string[] = [];
    await trainInFolder({
      ...{ asked, folder: asked === null ? folder() : null, changes: {}, backend: 'wasm', places: {} },
      ...{ terminal: terminalTo(said), interrupted: () => new AbortController().signal, isPlan: true },
    });
    const [, count, unit] = /at most about (\d+) (second|minute|hour|day)/.exec(said.at(-1)!)!;
    return Number(count) * { second: 1, minute: 60, hour: 3600, day: 86_400 }[unit]!;
  };
  const fresh = { config: record.config, page: null, kept: null, sweep: {}, ignored: [] };
  expect(await secondsOf(null)).toBeLessThan((await secondsOf(fresh)) / 3);
});
