import { signal } from '@preact/signals';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { stayAwake } from '../../../src/app/page/tab';
import type { Session } from '../../../src/app/session/session';

let close: (event: Event) => void;
beforeEach(() => {
  vi.useFakeTimers();
  vi.stubGlobal('navigator', {});
  vi.stubGlobal('document', { visibilityState: 'hidden', addEventListener: () => undefined });
  vi.stubGlobal('addEventListener', (type: string, listener: (event: Event) => void) => {
    if (type === 'beforeunload') close = listener;
  });
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

it.each([
  ['asks where it trains a run that the storage has not got', 'running', ['a'], true],
  ['asks where such a run is paused', 'paused', ['a'], true],
  ['asks where such a run has ended', 'idle', ['a'], true],
  ['does not ask where all is kept', 'running', [], false],
] as const)('a tab that is about to close %s', (_, activity, unkept, asks) => {
  const session = {
    activity: signal(activity),
    unkept: signal<readonly string[]>(unkept),
  };
  stayAwake(session as unknown as Session);
  const event = new Event('beforeunload', { cancelable: true });
  close(event);
  expect(event.defaultPrevented).toBe(asks);
});

it('a screen is not kept awake for a run that ended while the browser was asked', async () => {
  const release = vi.fn();
  const request = () => Promise.resolve({ release, addEventListener: () => undefined });
  vi.stubGlobal('navigator', { wakeLock: { request } });
  vi.stubGlobal('document', { visibilityState: 'visible', addEventListener: () => undefined });
  const activity = signal('running');
  stayAwake({ activity } as unknown as Session);
  await vi.advanceTimersByTimeAsync(0);
  expect(release).not.toHaveBeenCalled();
  stayAwake({ activity } as unknown as Session);
  activity.value = 'idle';
  await vi.advanceTimersByTimeAsync(0);
  expect(release).toHaveBeenCalledTimes(2);
});
