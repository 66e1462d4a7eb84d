/** How long a step took, and a run has still to go, from the pace of its last steps. */
import { signal, type ReadonlySignal } from '@preact/signals';
import type { StepRecord } from '../../run/record/events';

const window = 12;

export interface StepPace {
  /** Seconds of one step; null before two steps have been seen. */
  readonly secondsPerStep: ReadonlySignal<number | null>;
  /** Tells that a step has ended now. */
  tick(now: number): void;
  /** A pause is no pace: forgets what was measured before it. */
  restart(): void;
}

export function createStepPace(): StepPace {
  const secondsPerStep = signal<number | null>(null);
  let times: number[] = [];
  return {
    secondsPerStep,
    tick(now) {
      times = [...times, now].slice(-window);
      if (times.length > 1) secondsPerStep.value = (now - times[0]) / 1000 / (times.length - 1);
    },
    restart() {
      times = [];
    },
  };
}

/** `45 s`, `3 min`, `2 h 10 min`: as exact as an estimate is. */
export function roughly(seconds: number): string {
  if (seconds < 90) return `${Math.max(1, Math.round(seconds))} s`;
  const minutes = Math.round(seconds / 60);
  return minutes < 90 ? `${minutes} min` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

/**
 * What a step took: its own time and that of keeping it; evaluations are left out.
 *
 * @returns undefined where the record does not say, as of runs from elsewhere
 */
export function stepSeconds({
  step_time: seconds,
  'time/store': keeping = 0,
}: StepRecord): number | undefined {
  return seconds === undefined ? undefined : seconds + keeping;
}
