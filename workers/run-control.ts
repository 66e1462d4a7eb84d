/** The visitor's command for the current run: continue, pause, take one step, stop. */

type Wish = 'go' | 'pause' | 'step' | 'stop';

export type RunControl = ReturnType<typeof createRunControl>;

export function createRunControl() {
  const abort = new AbortController();
  let wish: Wish = 'go';
  let keepAsked = false;
  let release: (() => void) | null = null;

  const change = (next: Wish): void => {
    wish = next;
    if (next !== 'pause') release?.();
  };
  return {
    /** Aborts the unfinished step between two of its micro-batches, and a download immediately. */
    signal: abort.signal,
    pause: () => change('pause'),
    /** Continues to the end of one step. */
    step: () => change('step'),
    goOn: () => change('go'),
    stop(): void {
      change('stop');
      abort.abort();
    },
    /** Requests one checkpoint. */
    keep(): void {
      keepAsked = true;
    },
    /** Call this at the end of every step. */
    stepEnded(): void {
      if (wish === 'step') wish = 'pause';
    },
    /** Returns whether the trainer must write a checkpoint now, and clears a request by `keep`. */
    checkpointWanted(): boolean {
      const wanted = keepAsked || wish === 'pause' || wish === 'stop';
      keepAsked = false;
      return wanted;
    },
    /** Returns whether the run must pause at the checkpoint just written. */
    standsStill: () => wish === 'pause',
    get stopping(): boolean {
      return wish === 'stop';
    },
    /** Resolves when a paused run must continue, take one step or end. */
    released(): Promise<void> {
      // The command may have changed while the pause was stored.
      if (wish !== 'pause') return Promise.resolve();
      return new Promise((resolve) => {
        release = () => {
          release = null;
          resolve();
        };
      });
    },
  };
}
