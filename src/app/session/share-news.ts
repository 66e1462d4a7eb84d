/** What tabs of one browser tell each other of the runs that they keep and train. */
import { effect } from '@preact/signals';
import type { Session } from './session';

/** How often one looks for what another tab has kept, in milliseconds. */
const LOOK_AGAIN = 2000;

/** Tells the other tabs when this one has changed something, and looks again when another one tells. */
export function shareNews(session: Session): void {
  const look = (): void => void session.refresh();
  if ('BroadcastChannel' in globalThis) {
    const channel = new BroadcastChannel('marble-runs');
    channel.addEventListener('message', look);
    effect(() => {
      if (session.changes.value > 0) channel.postMessage(null);
    });
  }
  // A tab that trains may end without a word.
  effect(() => {
    const activity = session.activity.value;
    const isTrainedElsewhere = session.runs.value.some((run) => run.trainsElsewhere === true);
    if (activity !== 'watching' && !(activity === 'idle' && isTrainedElsewhere)) return undefined;
    const timer = setInterval(look, LOOK_AGAIN);
    return () => clearInterval(timer);
  });
}
