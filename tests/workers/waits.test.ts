/** Whatever asks a server outside of a run ends at once when the page gives it up. */
import { beforeEach, expect, it, vi } from 'vitest';
import { presets } from '../../src/run/config/presets';
import type { RunConfig } from '../../src/run/config/config';
import { createTrainerService, type TrainerService } from '../../workers/service';
import type { AskedQuestion } from '../../workers/protocol';
import { refusalOf } from '../model/refusal';
import { freshLocks } from './browser-locks';

const hub: RunConfig = {
  ...presets['small-llms'],
  model: { kind: 'hub', repository: 'owner/name', revision: '0123456789'.repeat(4) },
};

let asked: string[];
beforeEach(() => {
  asked = [];
  vi.stubGlobal('navigator', { userAgent: 'test', hardwareConcurrency: 2, locks: freshLocks() });
  vi.stubGlobal('location', { origin: 'https://marble.example' });
  vi.stubGlobal('MARBLE_BUILD', 'test');
  vi.stubGlobal('caches', {
    open: () => Promise.resolve({ match: () => Promise.resolve(), keys: () => Promise.resolve([]) }),
  });
  vi.stubGlobal('fetch', (address: string, { signal }: RequestInit) => {
    asked.push(new URL(address).host);
    return new Promise((_, reject) => {
      signal?.addEventListener('abort', () => reject(new DOMException('aborted', 'AbortError')));
    });
  });
});

/** In Node tfjs's module is read where no address is given. */
const createService = (): TrainerService => createTrainerService(undefined as unknown as string);

const item = {} as AskedQuestion['item'];

it.each<[string, (service: TrainerService) => Promise<unknown>]>([
  ['the commit of a branch', (service) => service.findCommit('owner/name', 'main')],
  ['the size of a model of the Hub', (service) => service.preflight(hub, 'wasm')],
  ['the plan of a model of the Hub', (service) => service.plan(hub, 'wasm')],
  ['a question to a model of the Hub', (service) => service.ask({ config: hub, run: null, item, seed: 1 })],
])('%s', async (_, act) => {
  const service = createService();
  const refusal = refusalOf(() => act(service));
  await vi.waitUntil(() => asked.length > 0, { timeout: 20_000 });
  await service.cancel();
  expect(await refusal).toBe('model/aborted');
});

it('a run on a model of the Hub, behind a plan that waits', async () => {
  const service = createService();
  await service.connect('https://marble.example/', () => undefined);
  const planned = refusalOf(() => service.plan(hub, 'wasm'));
  await vi.waitUntil(() => asked.length > 0, { timeout: 20_000 });
  const started = refusalOf(() => service.start({ config: hub, backend: 'wasm' }));
  await service.command('stop');
  expect([await planned, await started]).toEqual(['model/aborted', 'app/stopped-early']);
});
