import { signal } from '@preact/signals';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { stayAwake } from '../../../src/app/page/awake';
import type { Session } from '../../../src/app/session/session';
import type { ErrorReport } from '../../../src/base/error';

let close: (event: Event) => void;
beforeEach(() => {
  vi.useFakeTimers();
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
    notice: signal(null),
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

describe('a tab that the browser has put to sleep', () => {
  /** Code of the notice above the page after `gone` milliseconds between two ticks of its clock. */
  function noticeAfter(gone: number, activity: 'running' | 'idle', clock: number): string | undefined {
    const notice = signal<ErrorReport | null>(null);
    stayAwake({ activity: signal(activity), notice, unkept: signal([]) } as unknown as Session);
    vi.setSystemTime(Date.now() + clock);
    const now = performance.now();
    vi.spyOn(performance, 'now').mockReturnValue(now + gone);
    vi.advanceTimersByTime(5000);
    vi.restoreAllMocks();
    return notice.value?.code;
  }

  it.each([
    ['says so where a run stood still meanwhile', 60_000, 'running', 60_000, 'app/paused-by-browser'],
    ['says nothing where the system’s clock was set', 5000, 'running', 3_600_000, undefined],
    ['says nothing where the pause was short', 10_000, 'running', 10_000, undefined],
    ['says nothing where nothing ran', 60_000, 'idle', 60_000, undefined],
  ] as const)('%s', (_, gone, activity, clock, code) => {
    expect(noticeAfter(gone, activity, clock)).toBe(code);
  });
});
