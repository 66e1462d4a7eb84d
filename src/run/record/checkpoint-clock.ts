/**
 * Schedules checkpoints in addition to `checkpointEvery`. A closed or crashed tab then loses at most half a minute of work,
 * or one step if that takes longer. A checkpoint is due after the first step and whenever the unsaved work reaches the limit.
 */

/** Maximum unsaved work, in milliseconds. */
const most = 30_000;

/** Saving takes at most 1 / `share` of the time. */
const share = 20;

export type CheckpointClock = ReturnType<typeof createCheckpointClock>;

/**
 * @param isResumed - true if the run already has a checkpoint; otherwise its first step is saved immediately
 * @param now - current time in milliseconds
 */
export function createCheckpointClock(isResumed: boolean, now: () => number = () => performance.now()) {
  /** Start of the unsaved work. */
  let since = isResumed ? now() : -Infinity;
  let lastStepEnd = now();
  let stepMilliseconds = 0;
  let isSaved = true;
  let cost = 0;
  let begun: number | null = null;
  let isPaidFrom = -Infinity;
  return {
    stepEnded(): void {
      stepMilliseconds = now() - lastStepEnd;
      lastStepEnd = now();
      isSaved = false;
    },
    /** True if a checkpoint is due now. A true result starts a cost measurement, which `taken` ends. */
    isDue(): boolean {
      if (isSaved || now() < isPaidFrom) return false;
      // The next opportunity to save is one step later.
      if (now() - since + stepMilliseconds < most) return false;
      begun ??= now();
      return true;
    },
    /** Must be called when a checkpoint was passed to the storage, successfully or not. */
    taken(): void {
      // The cost counts from `isDue`, because reading the weights back from the device takes longer than writing them.
      if (begun !== null) cost = now() - begun;
      begun = null;
      isSaved = true;
      since = lastStepEnd;
      isPaidFrom = now() + (share - 1) * cost;
    },
  };
}
