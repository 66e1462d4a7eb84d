/** Shows the time left of training in the title of the tab. */
import { effect } from '@preact/signals';
import type { Activity } from '../session/run-view';
import type { Session } from '../session/session';
import { roughly } from '../ui/numbers';
import type { Ladder } from './ladder';
import { secondsToGo } from './planned';

/** @param seconds - null if unknown */
export function titleWords(activity: Activity, seconds: number | null): string | null {
  if (activity === 'paused') return 'Paused';
  if (activity !== 'running') return null;
  return seconds === null ? 'Training' : `${roughly(seconds)} left`;
}

export function showTimeLeft(session: Session, ladder: Ladder): void {
  const { title } = document;
  effect(() => {
    const view = session.shown.value;
    const seconds = ladder.isOn.value ? ladder.secondsLeft() : view && secondsToGo(view);
    const words = titleWords(session.activity.value, seconds);
    document.title = words === null ? title : `${words} · ${title}`;
  });
}
