/**
 * Guards training against interruptions. Keeps the screen awake while a run trains, saves a checkpoint when the tab is
 * hidden, asks before a tab with unsaved runs closes, and reports time lost to sleep.
 */
import { effect } from '@preact/signals';
import { roughly } from '../ui/numbers';
import type { Session } from '../session/session';

/**
 * Delays in milliseconds after which a page has slept. Timers of a visible page are at most about 2 s late. Those of a hidden
 * page run once a minute (https://developer.chrome.com/blog/timer-throttling-in-chrome-88).
 */
const sleepThresholds = { visible: 30_000, hidden: 90_000 };
const period = 5000;

export function stayAwake(session: Session): void {
  let lock: WakeLockSentinel | null = null;
  let seen = performance.now();

  async function acquire(): Promise<void> {
    if (lock !== null || document.visibilityState !== 'visible' || !('wakeLock' in navigator)) return;
    try {
      lock = await navigator.wakeLock.request('screen');
      lock.addEventListener('release', () => (lock = null));
      if (session.activity.value !== 'running') void lock.release(); // ended during the request
    } catch {
      // The browser may refuse on low battery. Training continues without the lock.
    }
  }

  effect(() => {
    if (session.activity.value === 'running') void acquire();
    else void lock?.release();
  });
  function tick(threshold: number): void {
    const now = performance.now(); // unlike Date.now(), unaffected by clock changes
    const gone = now - seen;
    seen = now;
    if (gone < threshold || session.activity.value !== 'running') return;
    session.notice.value = {
      code: 'app/paused-by-browser',
      message: `This tab was suspended for ${roughly(gone / 1000)}.`,
      nextStep: 'The run goes on. Keep the tab in front and the computer awake to lose no time.',
    };
  }

  document.addEventListener('visibilitychange', () => {
    if (document.visibilityState === 'hidden') void session.keep();
    else {
      tick(sleepThresholds.hidden);
      if (session.activity.value === 'running') void acquire();
      void session.refreshRuns(); // another tab may have started or ended a run
    }
  });
  addEventListener('beforeunload', (event) => {
    if (session.unkept.value.length > 0) event.preventDefault(); // makes the browser ask
  });
  setInterval(() => tick(sleepThresholds[document.visibilityState]), period);
}
