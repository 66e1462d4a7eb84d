import { signal } from '@preact/signals';
import { h } from 'preact';
import { beforeAll, expect, it } from 'vitest';
import { ConsentScreen, DownloadScreen } from '../../../src/app/models/download-screen';
import { presets } from '../../../src/run/config/presets';
import { stubDocument, textOf } from '../../fixtures/little-dom';
import { pageOf } from '../page-of';

beforeAll(stubDocument);

it('the first question about a model names the size of its download', () => {
  const { session } = pageOf({ plan: () => Promise.resolve(null) });
  const config = presets['first-run-0.5b'];
  const consent = { contacts: [], config, answer: () => undefined };
  expect(textOf(h(ConsentScreen, { session, consent }))).toContain('The download is 988 MB.');
});

it('the memory of a run on the CPU is not said to be that of the graphics card', () => {
  const { session } = pageOf({ capabilities: signal({ adapter: 'NVIDIA', storage: null }) });
  const told = (backend: 'wasm' | 'webgpu'): string => {
    const planned = { backend, parameters: 1e8, memory: 3e8, seconds: 60, refusal: null };
    const preflight = { host: 'huggingface.co', what: 'a model', bytes: 1e8, missing: 1e8, planned };
    const question = { preflight, answer: () => undefined } as never;
    return textOf(h(DownloadScreen, { session, question }));
  };
  expect(told('webgpu')).toContain('training it takes about 300 MB on NVIDIA.');
  expect(told('wasm')).toContain('training it takes about 300 MB. ');
});
