/**
 * Keeps the screen awake while a run trains, has a checkpoint kept when the tab is hidden, asks before a tab is closed with
 * a run that storage refused, and notices lost time.
 */
import { effect } from '@preact/signals';
import { roughly } from '../ui/numbers';
import type { Session } from '../session/session';

/** Timers of a live page are late by a second or two at most; more means the browser had put the page to sleep. */
const sleepThreshold = 30_000;
const period = 5000;

export function stayAwake(session: Session): void {
  let lock: WakeLockSentinel | null = null;
  let seen = performance.now();

  async function acquire(): Promise<void> {
    if (lock !== null || document.visibilityState !== 'visible' || !('wakeLock' in navigator)) return;
    try {
      lock = await navigator.wakeLock.request('screen');
      lock.addEventListener('release', () => (lock = null));
    } catch {
      // Refused on low battery: training goes on without it.
    }
  }

  effect(() => {
    if (session.activity.value === 'running') void acquire();
    else void lock?.release();
  });
  document.addEventListener('visibilitychange', () => {
    if (document.visibilityState === 'hidden') void session.keep();
    else {
      if (session.activity.value === 'running') void acquire();
      void session.refresh(); // another tab may have begun a run, or ended one
    }
  });
  addEventListener('beforeunload', (event) => {
    if (session.unkept.value.length > 0) event.preventDefault(); // the browser asks
  });
  setInterval(() => {
    const now = performance.now(); // not the system's clock, which may be set
    const gone = now - seen;
    seen = now;
    if (gone < sleepThreshold || session.activity.value !== 'running') return;
    session.notice.value = {
      code: 'app/paused-by-browser',
      message: `This tab stood still for ${roughly(gone / 1000)}.`,
      nextStep: 'The run goes on. Keep the tab in front and the computer awake to lose no time.',
    };
  }, period);
}
