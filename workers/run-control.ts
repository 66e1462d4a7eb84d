/** What the visitor wants of the run that trains: to go on, to pause, to take one step, to stop. */

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
    /** Gives up the unfinished step between two of its micro-batches, and a download at once. */
    signal: abort.signal,
    pause: () => change('pause'),
    /** Goes on to the end of one step. */
    step: () => change('step'),
    goOn: () => change('go'),
    stop(): void {
      change('stop');
      abort.abort();
    },
    /** Asks for one checkpoint. */
    keep(): void {
      keepAsked = true;
    },
    /** To be told of every step that ends. */
    stepEnded(): void {
      if (wish === 'step') wish = 'pause';
    },
    /** Whether the trainer is to hand out a checkpoint here. */
    checkpointWanted(): boolean {
      const wanted = keepAsked || wish === 'pause' || wish === 'stop';
      keepAsked = false;
      return wanted;
    },
    /** Whether the run stands still at the checkpoint that has just been kept. */
    standsStill: () => wish === 'pause',
    get stopping(): boolean {
      return wish === 'stop';
    },
    /** Resolves when a run that stands still is to go on, if only for a step, or to end. */
    released(): Promise<void> {
      // The wish may have changed while the pause was written down.
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
