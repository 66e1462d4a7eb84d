/**
 * When a run is to be kept besides its own `checkpointEvery`, so that whatever ends the tab costs at most half a minute
 * of work, or one step where that is longer: after the first step, and then as soon as that much would be unsaved.
 */

/** Milliseconds of work that may be lost. */
const most = 30_000;

/** Saving takes at most one part in this many of the time. */
const share = 20;

export interface CheckpointClock {
  /** To be told of every step that ends. */
  stepEnded(): void;
  /** Whether the steps taken are to be kept now. The answer true begins a measurement, which `taken` ends. */
  isDue(): boolean;
  /** A checkpoint was handed to the storage, which has taken it or not. */
  taken(): void;
}

/**
 * @param isResumed - whether the run has a checkpoint already: else its first step is kept at once
 * @param now - milliseconds
 */
export function createCheckpointClock(
  isResumed: boolean,
  now: () => number = () => performance.now(),
): CheckpointClock {
  /** From when on work is unsaved. */
  let since = isResumed ? now() : -Infinity;
  let lastStepEnd = now();
  let stepMilliseconds = 0;
  let unsavedSteps = 0;
  let cost = 0;
  let begun: number | null = null;
  let isPaidFrom = -Infinity;
  return {
    stepEnded() {
      stepMilliseconds = now() - lastStepEnd;
      lastStepEnd = now();
      unsavedSteps += 1;
    },
    isDue() {
      if (unsavedSteps === 0 || now() < isPaidFrom) return false;
      // What is not kept now can be kept a step later at the earliest.
      if (now() - since + stepMilliseconds < most) return false;
      begun ??= now();
      return true;
    },
    taken() {
      // Since the clock was asked: reading the weights back from the device takes longer than writing them.
      if (begun !== null) cost = now() - begun;
      begun = null;
      unsavedSteps = 0;
      since = lastStepEnd;
      isPaidFrom = now() + (share - 1) * cost;
    },
  };
}
