/** Waiting for the device, hurried in browsers that ask it only now and then whether it is done. */

/** A wait for nothing that takes longer is of such a browser: Firefox asks every 100 ms. */
const LONG_WAIT_MS = 20;
/** Milliseconds between the empty submits that bring its asking about. */
const NUDGE_MS = 4;

export class QueueWaits {
  /** Milliseconds that a wait takes when there is nothing to wait for; 0 before `find`. */
  ms = 0;
  private nudges = false;

  constructor(private readonly queue: GPUQueue) {}

  /** Times a wait for nothing, and lets later ones be hurried where that helps. */
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

  /** In milliseconds; the least of two, for what else the machine does, after one that ends when a poll is due anyway. */
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
