/** Waits for the device, with a workaround for browsers that rarely poll for completion. */

/** An idle wait of at least this long indicates slow polling. Firefox polls every 100 ms. */
const LONG_WAIT_MS = 20;
/** Interval of the empty submits that trigger a poll, in milliseconds. */
const NUDGE_MS = 4;

export class QueueWaits {
  /** Duration of an idle wait in milliseconds; 0 before `find`. */
  ms = 0;
  private nudges = false;

  constructor(private readonly queue: GPUQueue) {}

  /** Measures an idle wait and enables nudging if it shortens the wait. */
  async find(): Promise<void> {
    this.ms = await this.emptyWait();
    if (this.ms < LONG_WAIT_MS) return;
    this.nudges = true;
    const nudged = await this.emptyWait();
    this.nudges = nudged < this.ms / 2;
    this.ms = Math.min(this.ms, nudged);
  }

  async nudged<T>(done: Promise<T>): Promise<T> {
    if (!this.nudges) return done;
    const timer = setInterval(() => this.queue.submit([]), NUDGE_MS);
    try {
      return await done;
    } finally {
      clearInterval(timer);
    }
  }

  /**
   * Returns the duration of an idle wait in milliseconds. The first of three waits only aligns to a poll, and the
   * minimum of the other two filters out other load.
   */
  private async emptyWait(): Promise<number> {
    let least = Infinity;
    for (let time = 0; time < 3; time++) {
      const start = performance.now();
      await this.nudged(this.queue.onSubmittedWorkDone());
      if (time > 0) least = Math.min(least, performance.now() - start);
    }
    return least;
  }
}
