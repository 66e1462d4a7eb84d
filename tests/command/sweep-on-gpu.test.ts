/** The time of a sweep whose runs share one GPU. Wasm stands in for the GPU. */
import { expect, it, vi } from 'vitest';
import { askedRun } from '../../src/command/asked-run';
import { saySweepTime } from '../../src/command/plan-command';
import type * as Index from '../../src/index';
import { expandSweep } from '../../src/run/sweep/sweep';

vi.mock('../../src/command/machine', async (original) => ({
  ...(await original<object>()),
  backendOf: () => Promise.resolve({ backend: 'webgpu', reason: '' }),
}));
vi.mock('../../src/index', async (original) => {
  const index = await original<typeof Index>();
  return {
    ...index,
    planRun: (model, config, _, imported) => index.planRun(model, config, 'wasm', imported),
    openEngine: () => index.openEngine({ backend: 'wasm', threads: 1 }),
    measureSpeed: () => Promise.resolve({ flopsPerSecond: 1e9, secondsPerCall: 1e-4 }),
  } satisfies typeof index;
});

it('more processes make a sweep on one GPU no faster', async () => {
  const { config } = await askedRun(
    '#preset=small-llms&rollout.promptsPerStep=2&rollout.samplesPerPrompt=2&rollout.maxNewTokens=32' +
      '&evaluation.items=4&evaluation.taskItems=0&evaluation.hardItems=0',
  );
  const runs = expandSweep(config, { seed: [1, 2, 3, 4] });
  const said: string[] = [];
  const terminal = { isLive: false, say: (line: string) => void said.push(line), show: () => undefined };
  for (const processes of [1, 4]) await saySweepTime({ runs, processes, page: null, places: {}, terminal });
  expect(said[0]).toMatch(/^The 4 runs take at most about \d+ /);
  expect(said[1]).toBe(said[0]);
});
