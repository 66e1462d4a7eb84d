import { afterEach, expect, it, vi } from 'vitest';
import { openEngine } from '../../../src/index';
import { presets } from '../../../src/run/config/presets';
import { plannedRun } from '../../../workers/models/plan';
import { plan } from '../../../workers/models/preflight';
import { modelSource, type ModelPlaces } from '../../../workers/models/backend';
import { embeddedFiles } from '../../export/model-folder';
import { refusalOf, refusalTextOf } from '../../model/refusal';

afterEach(() => vi.unstubAllGlobals());

it('a run on the Hub’s model of the presets is planned without a request', { tags: ['long'] }, async () => {
  const fetched = vi.fn(() => Promise.reject(new Error('offline')));
  vi.stubGlobal('fetch', fetched);
  // In Node tfjs's module is read where no address is given.
  const places = { base: 'http://localhost/', wasmUrl: undefined, ownFiles: null, ownAdapter: null };
  const store = () => Promise.reject(new Error('not needed'));
  const { signal } = new AbortController();
  const planned = await plan(presets['small-llms'], 'wasm', places as unknown as ModelPlaces, store, signal);
  expect(planned).toMatchObject({ backend: 'wasm', parameters: 494_032_768 });
  expect(planned.seconds).toBeGreaterThan(3600);
  expect(planned.parts.step * 1125).toBeLessThan(planned.seconds);
  expect(fetched).not.toHaveBeenCalled();
});

it('a model of files that nobody has chosen here cannot be loaded', async () => {
  const config = { ...presets['ladder-12k'], model: { kind: 'files' as const, name: 'my-model' } };
  const open = (): unknown => modelSource(config, { base: '', ownFiles: null });
  expect(await refusalOf(open)).toBe('app/choose-files');
  expect(await refusalTextOf(open)).toContain('my-model');
});

it('a device that is lost while its speed is measured does not fail the later plans', async () => {
  const engine = await openEngine({ backend: 'wasm' });
  const lost = { ...engine, check: () => Promise.reject(new Error('lost')) };
  const files = { source: { files: embeddedFiles('ladder-12k') } };
  await expect(plannedRun(lost, files, presets['ladder-12k'])).rejects.toThrow('lost');
  expect(await plannedRun(engine, files, presets['ladder-12k'])).toMatchObject({ backend: 'wasm' });
  engine.dispose();
});
