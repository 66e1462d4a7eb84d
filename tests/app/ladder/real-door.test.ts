import { signal } from '@preact/signals';
import { h } from 'preact';
import { expect, it, vi } from 'vitest';
import { RealDoor } from '../../../src/app/ladder/real-door';
import { drawn } from '../../fixtures/little-dom';
import { pageOf } from '../page-of';

it('the time of a real model is that of the backend that is chosen', async () => {
  const wish = signal('automatic');
  const plan = () =>
    Promise.resolve({ refusal: null, seconds: wish.value === 'wasm' ? 7200 : 600, backend: wish.value });
  const page = pageOf({ wish, plan }, { realRun: signal(null) });
  const shown = drawn(h(RealDoor, { ...page, onTry: () => undefined }));
  expect(shown.text()).toContain('timing…');
  await vi.waitFor(() => expect(shown.text().split('≤ 10 minutes')).toHaveLength(3));
  wish.value = 'wasm';
  await vi.waitFor(() => expect(shown.text().split('≤ 2 hours')).toHaveLength(3));
});
