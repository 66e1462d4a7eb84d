/** A tab beside the one that trains: it shows what that tab keeps, until that tab ends. */
import { batch, effect, type Signal } from '@preact/signals';
import type { ErrorReport } from '../../base/error';
import type { Capabilities, ListedRun } from '../../../workers/protocol';
import { viewOfKept, type RunView } from './run-view';
import type { Activity } from './activity';
import type { Attempt } from './worker-link';

/** How often one looks for what another tab has kept, in milliseconds. */
export const LOOK_AGAIN = 2000;

export const otherTab: ErrorReport = {
  code: 'store/other-tab',
  message: 'Another tab of this browser is training.',
  nextStep: 'Here you can watch what it keeps. Stop it there, or close that tab, to train in this one.',
};

export function watchOtherTab(around: {
  activity: Signal<Activity>;
  capabilities: Signal<Capabilities | null>;
  runs: Signal<readonly ListedRun[]>;
  shown: Signal<RunView | null>;
  screen: Signal<ErrorReport | null>;
  attempt: Attempt;
  refreshRuns: () => Promise<void>;
}): void {
  const { activity, capabilities, runs, shown, screen, attempt, refreshRuns } = around;
  activity.value = 'watching';
  const timer = setInterval(() => void look(), LOOK_AGAIN);
  const stopWatching = effect(() => {
    if (activity.value === 'watching') return;
    clearInterval(timer);
    queueMicrotask(() => stopWatching());
  });

  /** The run that the other tab trains, as it says itself. */
  let watched: string | null = null;

  async function look(): Promise<void> {
    const here = await attempt((service) => service.capabilities());
    if (here === null || activity.value !== 'watching') return;
    capabilities.value = here;
    await refreshRuns();
    // One that has just ended there is looked at once more: its last steps came after the last look.
    watched = here.runElsewhere ?? watched;
    const id = watched;
    const isListed = runs.value.some((run) => run.id === id); // the storage may have refused it
    const history = id === null || !isListed ? null : await attempt((service) => service.getRun(id));
    if (history !== null) shown.value = viewOfKept('kept', history);
    if (here.busyElsewhere) return;
    batch(() => {
      activity.value = 'idle';
      screen.value = null;
    });
  }
  void look();
}
