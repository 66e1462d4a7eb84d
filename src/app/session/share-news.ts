/** Notifies the tabs of one browser about changes to stored and trained runs. */
import { effect } from '@preact/signals';
import type { Session } from './session';

/** Interval in milliseconds at which this tab polls for changes by another one. */
const LOOK_AGAIN = 2000;

/** Notifies other tabs of changes by this one, and refreshes when another tab notifies this one. */
export function shareNews(session: Session): void {
  const look = (): void => void session.refreshRuns();
  if ('BroadcastChannel' in globalThis) {
    const channel = new BroadcastChannel('marble-runs');
    channel.addEventListener('message', look);
    effect(() => {
      if (session.changes.value > 0) channel.postMessage(null);
    });
  }
  // A tab that trains may end without a notification.
  effect(() => {
    if (!session.runs.value.some((run) => run.trainsElsewhere === true)) return undefined;
    const timer = setInterval(look, LOOK_AGAIN);
    return () => clearInterval(timer);
  });
}
