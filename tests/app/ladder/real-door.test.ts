import { signal } from '@preact/signals';
import { h } from 'preact';
import { beforeAll, expect, it, vi } from 'vitest';
import { RealDoor } from '../../../src/app/ladder/real-door';
import { drawn, stubDocument } from '../../fixtures/little-dom';
import { pageOf } from '../page-of';

beforeAll(stubDocument);

it('the time of a real model is that of the backend that is chosen', async () => {
  const wish = signal('automatic');
  const plan = () =>
    Promise.resolve({ refusal: null, seconds: wish.value === 'wasm' ? 7200 : 600, backend: wish.value });
  const page = pageOf({ wish, plan }, { realRun: signal(null), realPlans: signal(new Map()) });
  const shown = drawn(h(RealDoor, { ...page, onTry: () => undefined }));
  await vi.waitFor(() => expect(shown.text().split('≤ 10 minutes')).toHaveLength(3));
  wish.value = 'wasm';
  await vi.waitFor(() => expect(shown.text().split('≤ 2 hours')).toHaveLength(3));
  shown.close();
});

it('a real model whose plan fails has no time, until a later plan succeeds', async () => {
  const activity = signal('idle');
  const plan = vi.fn(() => Promise.resolve(null as object | null));
  const page = pageOf({ activity, plan }, { realRun: signal(null), realPlans: signal(new Map()) });
  const shown = drawn(h(RealDoor, { ...page, onTry: () => undefined }));
  const times = (words: string) => shown.text().split(words).length - 1;
  expect(times('timing…')).toBe(2);
  await vi.waitFor(() => expect(times('time not known')).toBe(2));
  activity.value = 'running';
  await new Promise((resolve) => setTimeout(resolve));
  plan.mockResolvedValue({ refusal: null, seconds: 600 });
  activity.value = 'idle';
  await vi.waitFor(() => expect(times('≤ 10 minutes')).toBe(2));
});
