/** What the visitor wants of the run that trains: to go on, to pause, to take one step, to stop. */

type Wish = 'go' | 'pause' | 'step' | 'stop';

export interface RunControl {
  /** Aborts between micro-batches; what is not kept by then is lost. */
  readonly signal: AbortSignal;
  /** Aborts when the end is first asked for: for what has no step border, as a download. */
  readonly ending: AbortSignal;
  pause(): void;
  step(): void;
  goOn(): void;
  /** Ends the run at the next step border; asked a second time, at once. */
  stop(): void;
  /** Asks for one checkpoint at the next step border. */
  keep(): void;
  /** Whether the step that has just ended is to leave a checkpoint. */
  checkpointWanted(): boolean;
  /** Whether the run stands still after the step that has just ended. */
  standsStill(): boolean;
  readonly stopping: boolean;
  /** Resolves when a run that stands still is to go on, if only for a step, or to end. */
  released(): Promise<void>;
}

export function createRunControl(): RunControl {
  const abort = new AbortController();
  const ending = new AbortController();
  let wish: Wish = 'go';
  let keepAsked = false;
  let release: (() => void) | null = null;

  const change = (next: Wish): void => {
    wish = next;
    if (next !== 'pause') release?.();
  };
  return {
    signal: abort.signal,
    ending: ending.signal,
    pause: () => change('pause'),
    step: () => change('step'),
    goOn: () => change('go'),
    stop() {
      if (wish === 'stop') abort.abort();
      ending.abort();
      change('stop');
    },
    keep() {
      keepAsked = true;
    },
    checkpointWanted() {
      const wanted = keepAsked || wish !== 'go';
      keepAsked = false;
      return wanted;
    },
    standsStill: () => wish === 'pause' || wish === 'step',
    get stopping() {
      return wish === 'stop';
    },
    released() {
      wish = 'pause'; // the step that was asked for has been taken
      return new Promise((resolve) => {
        release = () => {
          release = null;
          resolve();
        };
      });
    },
  };
}
