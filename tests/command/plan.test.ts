/**
 * The command's statements about a run's time: before any prompt, before a download, and from the first step on. The
 * computer has a fixed speed.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, it, vi } from 'vitest';
import { askedRun } from '../../src/command/asked-run';
import type { Places } from '../../src/command/model-places';
import { showEvent } from '../../src/command/progress';
import { trainInFolder } from '../../src/command/subcommands/train';
import type * as Index from '../../src/index';
import { presets } from '../../src/run/config/presets';
import { folderForEach, writeFiles } from '../fixtures/folder';
import { halfBillionConfig } from '../fixtures/half-billion';
import { errorOf, refusalOf } from '../model/refusal';
import { answering, manySteps, terminalTo } from './terminal';

vi.mock('../../src/index', async (original) => ({
  ...(await original<typeof Index>()),
  measureSpeed: () => Promise.resolve({ flopsPerSecond: 1e9, secondsPerCall: 1e-4 }),
}));

const folder = folderForEach('plan');
afterEach(() => void vi.unstubAllGlobals());

const train = async (link: string | null, places: Places, said: string[], into = folder()) =>
  trainInFolder({
    ...{
      asked: link === null ? null : await askedRun(link),
      folder: into,
      changes: {},
      backend: 'wasm',
      places,
    },
    ...{ terminal: terminalTo(said), interrupted: () => new AbortController().signal },
  });

it('a run that does not fit into memory is refused by the settings to lower, and frees its folder', async () => {
  const into = folder();
  const said: string[] = [];
  const model = join(into, 'model');
  await writeFiles(model, [['config.json', JSON.stringify(halfBillionConfig(2))]]);
  const large = `${manySteps}&training.mode=full`;
  expect(await errorOf(() => train(large, { model }, said, into))).toMatchObject({
    code: 'model/memory-too-small',
    nextStep: expect.stringMatching(
      /^Set optimizer\.microBatch .* train with LoRA \(training\.mode\)/,
    ) as string,
  });
  expect(said.at(-1)).toMatch(/^Needs [\d,]+ MB of memory/);
  expect(existsSync(join(into, 'run.lock'))).toBe(false);
});

it('the time of a run is printed without any request, and before the command asks for a download', async () => {
  const fetched = vi.fn(() => Promise.reject(new Error('offline')));
  vi.stubGlobal('fetch', fetched);
  const said: string[] = [];
  const mayFetch = answering(false, said);
  expect(await refusalOf(() => train(manySteps, { mayFetch }, said))).toBe('command/not-agreed');
  expect(said.slice(1)).toEqual([
    expect.stringMatching(/^Needs [\d,]+ MB of memory and takes at most about \d+ (days|hours), /),
    expect.stringContaining('Qwen2.5-0.5B-Instruct, from huggingface.co'),
  ]);
  expect(fetched).not.toHaveBeenCalled();
});

it('each step prints the remaining time, estimated from measured steps', () => {
  const config = { ...presets['ladder-25k'], steps: 100, evaluation: { ...presets['ladder-25k'].evaluation, every: 100 } }; // prettier-ignore
  const parts = { step: 60, ends: 600, look: 60 };
  const lineAfter = (seconds: readonly number[]): string => {
    const said: string[] = [];
    const steps = seconds.map((step_time, index) => ({ step: index + 1, step_time }));
    const event = { type: 'step' as const, record: steps[steps.length - 1] };
    showEvent(terminalTo(said), event, { config, records: steps, evaluated: 0, evaluating: 0 }, parts);
    return said[0];
  };
  expect(lineAfter([60])).toBe('step 1/100  seconds 60.00  about 2 hours left');
  // Half of the planned time, from the first step on; for evaluations as well.
  expect(lineAfter([30])).toMatch(/about 55 minutes left$/);
  // The first two steps include compilation; later steps replace them.
  expect(lineAfter([900, 900, 6])).toMatch(/about 11 minutes left$/);
});
