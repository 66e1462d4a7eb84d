/**
 * The command's statements about a run's time: before any prompt, before a download, and from the first step on. The
 * computer has a fixed speed.
 */
import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, it, vi } from 'vitest';
import { askedRun } from '../../src/command/asked-run';
import type { Places } from '../../src/command/model-places';
import { sayDownload, showEvent } from '../../src/command/progress';
import { saveRun } from '../../src/command/run-log';
import { trainInFolder } from '../../src/command/subcommands/train';
import type * as Index from '../../src/index';
import { presets } from '../../src/run/config/presets';
import { folderForEach, writeFiles } from '../fixtures/folder';
import { halfBillionConfig } from '../fixtures/half-billion';
import { startHub } from '../fixtures/servers/hub-server';
import { errorOf, refusalOf } from '../model/refusal';
import { run as wholeRun } from '../share/run-content';
import { answering, manySteps, redirectHub, terminalTo } from './terminal';

vi.mock('../../src/index', async (original) => ({
  ...(await original<typeof Index>()),
  measureSpeed: () => Promise.resolve({ flopsPerSecond: 1e9, secondsPerCall: 1e-4 }),
}));

const folder = folderForEach('plan');
const bytesOf = (text: string) => new TextEncoder().encode(text);
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

it('a run that does not fit into memory is refused by the settings to lower, under the lock of its folder', async () => {
  const into = folder();
  const said: string[] = [];
  /** Whether the lock of the folder was held, at each line. */
  const held: boolean[] = [];
  said.push = (...lines) => {
    held.push(existsSync(join(into, 'run.lock')));
    return said.splice(said.length, 0, ...lines).length;
  };
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
  expect(new Set(held)).toEqual(new Set([true]));
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

it('the size of a download is printed without downloading any weights', async () => {
  const config = JSON.stringify({
    ...{ model_type: 'llama', hidden_size: 8, num_hidden_layers: 1, num_attention_heads: 1 },
    ...{ intermediate_size: 8, vocab_size: 8, max_position_embeddings: 8, rms_norm_eps: 1e-5 },
  });
  const files = {
    'config.json': bytesOf(config),
    'model.safetensors': new Uint8Array(3_400_000),
    'tokenizer.json': bytesOf('{}'),
  };
  const hub = await startHub({ files });
  redirectHub(hub.endpoint);
  const said: string[] = [];
  await sayDownload({ hub: hub.repository, revision: hub.revision }, terminalTo(said));
  expect(said).toEqual(['Downloads 4 MB from huggingface.co.']);
  expect(hub.requests.map(({ file }) => file)).not.toContain('model.safetensors');
  await hub.close();
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

it('the planned time of a resumed run is that of its remaining steps', async () => {
  const { config } = await askedRun(manySteps);
  const { history, checkpoint } = wholeRun;
  const begun = join(folder(), 'begun');
  mkdirSync(begun);
  const record = { ...history.record, config, status: 'stopped' as const };
  const evals = [{ report: { ...history.evals[0].report, step: 4980 } }];
  const rows = { ...history, record, steps: [{ step: 4989 }], evals };
  await saveRun(begun, { history: rows, rollouts: [], checkpoint: { ...checkpoint!, config, step: 4989 } });
  const secondsOf = async (link: string | null, into: string): Promise<number> => {
    const said: string[] = [];
    // The run ends before its download.
    expect(await refusalOf(() => train(link, {}, said, into))).toBe('command/not-agreed');
    const [, count, unit] = /at most about (\d+) (second|minute|hour|day)/.exec(said.at(-1)!)!;
    return Number(count) * { second: 1, minute: 60, hour: 3600, day: 86_400 }[unit]!;
  };
  const whole = await secondsOf(manySteps, join(folder(), 'fresh'));
  expect(await secondsOf(null, begun)).toBeLessThan(whole / 3);
});
