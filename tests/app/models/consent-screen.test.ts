import { signal } from '@preact/signals';
import { h } from 'preact';
import { describe, expect, it } from 'vitest';
import { ConsentScreen, DownloadScreen } from '../../../src/app/models/download-screen';
import { presets } from '../../../src/run/config/presets';
import { textOf } from '../../fixtures/little-dom';
import { pageOf } from '../page-of';

it('the first question about a model names the size of its download', () => {
  const { session } = pageOf({ plan: () => Promise.resolve(null) });
  const config = presets['first-run-0.5b'];
  const consent = { contacts: [], config, answer: () => undefined };
  expect(textOf(h(ConsentScreen, { session, consent }))).toContain('The download is 988 MB.');
});

describe('the question about a model', () => {
  function told(own: object): string {
    const { session } = pageOf({ capabilities: signal({ adapter: 'NVIDIA', storage: null }) });
    const planned = { backend: 'wasm', parameters: 1e8, memory: 3e8, seconds: 60, refusal: null, ...own };
    const preflight = { isOnHub: true, what: 'a model', bytes: 1e8, missing: 0, ...own, planned };
    const question = { preflight, answer: () => undefined } as never;
    return textOf(h(DownloadScreen, { session, question }));
  }

  it('does not say that the memory of a run on the CPU is that of the graphics card', () => {
    expect(told({ backend: 'webgpu' })).toContain('300 MB of memory, on NVIDIA.');
    expect(told({})).toContain('300 MB of memory, on the CPU.');
  });

  it('does not say that the visitor’s own files are kept in the browser', () => {
    expect(told({})).toContain('This run’s model is here already');
    expect(told({ missing: 2e7 })).toContain(' 80 MB of its 100 MB are kept here.');
    expect(told({ missing: 1e8 })).not.toContain('kept here.');
    expect(told({ isOnHub: false })).not.toContain('kept here');
  });
});
