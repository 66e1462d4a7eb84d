/** Shows the time left of training in the title of the tab. */
import { effect } from '@preact/signals';
import type { Activity } from '../session/run-view';
import type { Session } from '../session/session';
import { roughly } from '../ui/numbers';
import type { Ladder } from './ladder';
import { secondsToGo } from './planned';
import type { SweepQueue } from './sweep-queue';

function titleWords(activity: Activity, seconds: number | null): string | null {
  if (activity === 'paused') return 'Paused';
  if (activity !== 'running') return null;
  return seconds === null ? 'Training' : `${roughly(seconds)} left`;
}

/** Seconds until the run or the ladder that trains here ends; null if unknown. */
function secondsUntilEnd(session: Session, ladder: Ladder): number | null {
  const view = session.shown.value;
  return ladder.isOn.value ? ladder.secondsLeft() : view && secondsToGo(view);
}

export function showTimeLeft(session: Session, ladder: Ladder, queue: SweepQueue): void {
  const { title } = document;
  effect(() => {
    const isSweep = queue.running.value !== null;
    const seconds = isSweep ? queue.secondsLeft() : secondsUntilEnd(session, ladder);
    const words = titleWords(session.activity.value, seconds);
    document.title = words === null ? title : `${words} · ${title}`;
  });
}
