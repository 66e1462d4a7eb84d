/**
 * Interface to pause and end work between micro-batches. The work awaits `tick`, and `trainer.ts` alone decides whether to
 * emit an event, pause or end the run.
 */
import type { Alert, TrainerPhase } from '../run/record/events';
import type { PhaseTimes } from '../run/record/metrics';

export interface Control {
  /**
   * Reports the completed fraction of a phase, 0 to 1. The work suspends until this resolves. On rejection the work frees
   * its device memory and rethrows the reason.
   *
   * @param count - finished answers of the phase
   */
  tick(phase: TrainerPhase, fraction: number, count?: { done: number; total: number }): Promise<void>;
  /** Announces a change of the weights. The step then always runs to its end, and no tick rejects. */
  commit(): void;
  /** Reports an alert on the scored samples, before the update. Rejects like `tick` to end the run. */
  alert(alert: Alert): Promise<void>;
  /** Milliseconds of work so far. */
  times(): PhaseTimes;
}

/** Attributes the time between two ticks to the phase of the first. Time within a tick, possibly a pause, is not counted. */
export function createPhaseClock() {
  const times = { rollout: 0, reward: 0, reference: 0, update: 0 };
  const isTimed = (phase: TrainerPhase): phase is keyof typeof times => phase in times;
  let running: keyof typeof times | null = null;
  let since = 0;
  const stop = (): void => {
    if (running !== null) times[running] += performance.now() - since;
    running = null;
  };
  return {
    stop,
    start(phase: TrainerPhase): void {
      running = isTimed(phase) ? phase : null;
      since = performance.now();
    },
    /** Stops the clock. */
    times(): PhaseTimes {
      stop();
      return { ...times };
    },
  };
}
