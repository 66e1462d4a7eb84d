/**
 * Guards training against interruptions. Keeps the screen awake while a run trains, saves a checkpoint when the tab is
 * hidden, and asks before a tab with unsaved runs closes.
 */
import { effect } from '@preact/signals';
import type { Session } from '../session/session';

export function stayAwake(session: Session): void {
  let lock: WakeLockSentinel | null = null;

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
  document.addEventListener('visibilitychange', () => {
    if (document.visibilityState === 'hidden') void session.keep();
    else {
      if (session.activity.value === 'running') void acquire();
      void session.refreshRuns(); // another tab may have started or ended a run
    }
  });
  addEventListener('beforeunload', (event) => {
    if (session.unkept.value.length > 0) event.preventDefault(); // makes the browser ask
  });
}
