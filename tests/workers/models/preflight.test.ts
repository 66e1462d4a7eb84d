import { afterEach, expect, it, vi } from 'vitest';
import { measureSpeed, openEngine } from '../../../src/index';
import type * as Index from '../../../src/index';
import type { RunConfig } from '../../../src/run/config/config';
import type { Engine } from '../../../src/gpu/engine';
import { presets } from '../../../src/run/config/presets';
import { plan } from '../../../workers/models/plan';
import type { ModelPlaces } from '../../../workers/models/backend';
import { embeddedFiles } from '../../export/model-folder';

vi.mock('../../../src/index', async (original) => {
  const index = await original<typeof Index>();
  return { ...index, measureSpeed: vi.fn(index.measureSpeed), openEngine: vi.fn(index.openEngine) };
});
afterEach(() => vi.unstubAllGlobals());

/** In Node tfjs's module is read where no address is given. */
const places = { base: 'http://localhost/', wasmUrl: undefined, ownFiles: embeddedFiles('ladder-12k') };
const planWith = (config: RunConfig, threads: number) =>
  plan(
    ...([config, 'wasm', { ...places, threads } as unknown as ModelPlaces] as const),
    () => Promise.reject(new Error('not needed')),
    new AbortController().signal,
  );

it('a run on the Hub’s model of the presets is planned without a request', { tags: ['long'] }, async () => {
  const fetched = vi.fn(() => Promise.reject(new Error('offline')));
  vi.stubGlobal('fetch', fetched);
  const planned = await planWith(presets['small-llms'], 1);
  expect(planned).toMatchObject({ backend: 'wasm', parameters: 494_032_768 });
  expect(planned.seconds).toBeGreaterThan(3600);
  expect(planned.parts.step * 1125).toBeLessThan(planned.seconds);
  expect(fetched).not.toHaveBeenCalled();
});

it('a run of a real model is planned at the speed of its threads, which are started once', async () => {
  const training = { mode: 'lora' as const, rank: 2, alpha: 4 };
  const embedded = { ...presets['ladder-12k'], training };
  const model = { kind: 'files' as const, name: 'ladder-12k' };
  vi.stubGlobal('fetch', (address: string) =>
    Promise.resolve(new Response(embeddedFiles('ladder-12k')[new URL(address).pathname.split('/').at(-1)!])),
  );
  vi.mocked(measureSpeed).mockRejectedValueOnce(new Error('lost')); // a device, for this plan alone
  await expect(planWith({ ...embedded, model }, 2)).rejects.toThrow('lost');
  vi.mocked(measureSpeed).mockClear();
  vi.mocked(openEngine).mockClear();
  const steps = [];
  for (const threads of [2, 3, 3]) {
    vi.mocked(measureSpeed).mockImplementationOnce((engine) =>
      Promise.resolve({ flopsPerSecond: 1e9 * (engine as Engine).threads, secondsPerCall: 0 }),
    );
    steps.push((await planWith({ ...embedded, model }, threads)).parts.step);
  }
  expect(steps[0] / steps[1]).toBeCloseTo(3 / 2);
  expect(steps[2]).toBe(steps[1]);
  expect(measureSpeed).toHaveBeenCalledTimes(2);
  await planWith(embedded, 3);
  expect(vi.mocked(openEngine).mock.calls.map(([options]) => options!.threads)).toEqual([2, 3, 1, 1]);
});
