import { signal } from '@preact/signals';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { stayAwake } from '../../../src/app/page/awake';
import type { Session } from '../../../src/app/session/session';
import type { ErrorReport } from '../../../src/base/error';

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
  /** Code of the notice after `gone` milliseconds between two ticks of the clock of a page in this state. */
  function noticeAfter(gone: number, state: string, activity = 'running', clock = gone): string | undefined {
    const notice = signal<ErrorReport | null>(null);
    const page = Object.assign(new EventTarget(), { visibilityState: state === 'shown' ? 'visible' : state });
    vi.stubGlobal('document', page);
    const session = { notice, unkept: signal([]), refreshRuns: () => undefined };
    stayAwake({ ...session, activity: signal(activity) } as unknown as Session);
    vi.setSystemTime(Date.now() + clock);
    const now = performance.now();
    vi.spyOn(performance, 'now').mockReturnValue(now + gone);
    if (state === 'shown') page.dispatchEvent(new Event('visibilitychange'));
    vi.advanceTimersByTime(5000);
    vi.restoreAllMocks();
    return notice.value?.code;
  }

  it('says so where a run stood still meanwhile', () => {
    expect(noticeAfter(60_000, 'visible')).toBe('app/paused-by-browser');
    for (const state of ['hidden', 'shown'])
      expect(noticeAfter(100_000, state)).toBe('app/paused-by-browser');
  });

  it.each([
    ['the system’s clock was set', 5000, 'visible', 'running', 3_600_000],
    ['the pause was short', 10_000, 'visible', 'running', 10_000],
    ['a hidden page had few timers', 62_000, 'hidden', 'running', 62_000],
    ['it had few timers until it was shown', 62_000, 'shown', 'running', 62_000],
    ['nothing ran', 60_000, 'visible', 'idle', 60_000],
  ])('says nothing where %s', (_, ...given) => {
    expect(noticeAfter(...given)).toBeUndefined();
  });
});
