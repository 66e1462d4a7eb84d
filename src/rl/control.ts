/**
 * How work is paused and ended in its middle: between its micro-batches it awaits `tick`, and `trainer.ts` alone decides what
 * becomes of it there, an event, a pause or the end.
 */
import type { Alert, TrainerPhase } from '../run/record/events';
import type { PhaseTimes } from '../run/record/metrics';

export interface Control {
  /**
   * Says that `fraction`, 0 to 1, of a phase is done. The work stands still until this resolves. Where it rejects, the
   * work gives back what it holds on the device and passes the reason on.
   */
  tick(phase: TrainerPhase, fraction: number): Promise<void>;
  /** Says that the weights are about to change: from now on the step is finished, and no tick ends it. */
  commit(): void;
  /** Reports a finding on the scored samples, before the update; may end the run as `tick` does. */
  alert(alert: Alert): Promise<void>;
  /** Milliseconds of work so far. */
  times(): PhaseTimes;
}

/** Counts what passes between two ticks for the phase of the first; what passes within a tick, which may be a pause, for none. */
export interface PhaseClock {
  stop(): void;
  start(phase: TrainerPhase): void;
  /** Stops it. */
  times(): PhaseTimes;
}

export function createPhaseClock(): PhaseClock {
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
    start(phase) {
      running = isTimed(phase) ? phase : null;
      since = performance.now();
    },
    times() {
      stop();
      return { ...times };
    },
  };
}
