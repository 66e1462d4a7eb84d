/** Connects the tab with its runs: screen lock, closing, news from other tabs, and title. */
import { effect, signal } from '@preact/signals';
import { durationWords } from '../../run/estimate';
import type { Session } from '../session/session';
import type { Ladder } from './ladder';
import { secondsToGo } from './planned';
import type { SweepQueue } from './sweep-queue';

/**
 * Keeps the screen awake while a run trains, saves a checkpoint when the tab is hidden, and asks before a tab with unsaved
 * runs closes.
 */
export function stayAwake(session: Session): void {
  const isVisible = signal(document.visibilityState === 'visible');
  effect(() => {
    if (session.activity.value !== 'running' || !isVisible.value) return undefined;
    const { wakeLock } = navigator as { wakeLock?: WakeLock };
    const lock = wakeLock?.request('screen').catch(() => null); // the browser may refuse on low battery
    return () => void lock?.then((held) => held?.release());
  });
  document.addEventListener('visibilitychange', () => {
    isVisible.value = document.visibilityState === 'visible';
    if (isVisible.value)
      void session.refreshRuns(); // another tab may have started or ended a run
    else void session.keep();
  });
  addEventListener('beforeunload', (event) => {
    if (session.unkept.value.length > 0) event.preventDefault(); // makes the browser ask
  });
}

/** Interval in milliseconds at which this tab polls for changes by another one. */
const LOOK_AGAIN = 2000;

/** Notifies other tabs of changes to the runs by this one, and refreshes when another tab notifies this one. */
export function shareNews(session: Session): void {
  const look = (): void => void session.refreshRuns();
  const channel = new BroadcastChannel('marble-runs');
  channel.addEventListener('message', look);
  effect(() => {
    if (session.changes.value > 0) channel.postMessage(null);
  });
  // A tab that trains may end without a notification.
  effect(() => {
    if (!session.runs.value.some((run) => run.trainsElsewhere === true)) return undefined;
    const timer = setInterval(look, LOOK_AGAIN);
    return () => clearInterval(timer);
  });
}

/** Shows the time left of training in the title of the tab. */
export function showTimeLeft(session: Session, ladder: Ladder, queue: SweepQueue): void {
  const { title } = document;
  effect(() => {
    const activity = session.activity.value;
    const view = session.shown.value;
    const ofRun = ladder.isOn.value ? ladder.secondsLeft() : view && secondsToGo(view);
    const seconds = queue.running.value === null ? ofRun : queue.secondsLeft();
    const left = seconds === null ? 'Training' : `${durationWords(seconds)} left`;
    const words = activity === 'paused' ? 'Paused' : activity === 'running' ? left : null;
    document.title = words === null ? title : `${words} · ${title}`;
  });
}
