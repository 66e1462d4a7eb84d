/** What the visitor wants of the run that trains: to go on, to pause, to take one step, to stop. */

type Wish = 'go' | 'pause' | 'step' | 'stop';

export interface RunControl {
  /** Gives up the unfinished step between two of its micro-batches, and a download at once. */
  readonly signal: AbortSignal;
  pause(): void;
  /** Goes on to the end of one step. */
  step(): void;
  goOn(): void;
  stop(): void;
  /** Asks for one checkpoint. */
  keep(): void;
  /** To be told of every step that ends. */
  stepEnded(): void;
  /** Whether the trainer is to hand out a checkpoint here. */
  checkpointWanted(): boolean;
  /** Whether the run stands still at the checkpoint that has just been kept. */
  standsStill(): boolean;
  readonly stopping: boolean;
  /** Resolves when a run that stands still is to go on, if only for a step, or to end. */
  released(): Promise<void>;
}

export function createRunControl(): RunControl {
  const abort = new AbortController();
  let wish: Wish = 'go';
  let keepAsked = false;
  let release: (() => void) | null = null;

  const change = (next: Wish): void => {
    wish = next;
    if (next !== 'pause') release?.();
  };
  return {
    signal: abort.signal,
    pause: () => change('pause'),
    step: () => change('step'),
    goOn: () => change('go'),
    stop() {
      change('stop');
      abort.abort();
    },
    keep() {
      keepAsked = true;
    },
    stepEnded() {
      if (wish === 'step') wish = 'pause';
    },
    checkpointWanted() {
      const wanted = keepAsked || wish === 'pause' || wish === 'stop';
      keepAsked = false;
      return wanted;
    },
    standsStill: () => wish === 'pause',
    get stopping() {
      return wish === 'stop';
    },
    released() {
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
