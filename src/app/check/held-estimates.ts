/** Holds what was estimated of a run against the time that it trains in this page. */
import { effect, untracked } from '@preact/signals';
import type { Session } from '../session/session';
import type { KeptCheck } from './kept-check';
import { estimateRun } from './run-estimate';

/** @param isAlone - whether the run has the computer for itself: beside others it would take longer than was said */
export function holdEstimates(
  session: Pick<Session, 'activity' | 'shown' | 'wish'>,
  kept: KeptCheck,
  isAlone: () => boolean,
  now: () => number = () => performance.now(),
): void {
  let training: { id: string; since: number } | null = null;
  const seen = new Set<string>();
  effect(() => {
    const view = session.shown.value;
    const isOn = session.activity.value === 'running' || session.activity.value === 'pausing';
    const id = isOn && view?.origin === 'live' ? view.id : null;
    untracked(() => {
      if (training !== null && training.id !== id) {
        const held = kept.estimates.value[training.id];
        const seconds = (now() - training.since) / 1000;
        if (held !== undefined) kept.keepEstimate(training.id, { ...held, took: held.took + seconds });
        training = null;
      }
      if (id === null || training !== null || view === null) return;
      training = { id, since: now() };
      if (seen.has(id)) return;
      seen.add(id);
      // What has trained before, in another page, has a time that nobody has taken.
      const check = kept.check.value;
      const isNew = view.records.value.length === 0 && isAlone();
      const estimate =
        check && isNew ? estimateRun(view.config, check, view.backend?.backend ?? session.wish.value) : null;
      kept.keepEstimate(id, estimate && { estimated: estimate.seconds, took: 0 });
    });
  });
}

/** `2 min 10 s`: as exact as a clock. */
export function clockWords(seconds: number): string {
  const whole = Math.round(seconds);
  return whole < 60 ? `${whole} s` : `${Math.floor(whole / 60)} min ${whole % 60} s`;
}
