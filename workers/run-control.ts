/**
 * State of the run in this worker. Commands of the page and progress of the run change it. Every change, and every
 * command, is answered with the whole state.
 */
import type { RunEnd, RunFacts, RunPhase, RunState } from './protocol';

export type RunControl = ReturnType<typeof createRunControl>;

/** @param unkept - IDs of earlier runs of this worker that storage refused */
export function createRunControl(send: (state: RunState) => void, unkept: readonly string[] = []) {
  const abort = new AbortController();
  let state: RunState = { is: 'opening', id: null, stage: 'hardware', download: null, unkept };
  let isKeepAsked = false;
  /** True while a paused run takes one step. */
  let isStepping = false;
  let release: () => void = () => undefined;

  function change(phase: RunPhase, facts: Partial<RunFacts> = {}): void {
    state = { ...state, ...phase, ...facts };
    send(state);
  }

  function command(is: 'running' | 'pausing' | 'stopping', isStep = false): void {
    const isFinal = state.is === 'stopping' || state.is === 'ended';
    if (isFinal || (state.is === 'paused' && is === 'pausing' && !isStep)) {
      send(state);
      return;
    }
    isStepping = isStep;
    change({ is: is === 'running' && state.id === null ? 'opening' : is });
    release();
  }

  const mustPause = (): boolean => state.is === 'pausing' && !isStepping;

  send(state);
  return {
    get state(): RunState {
      return state;
    },
    get isStopping(): boolean {
      return state.is === 'stopping';
    },
    /** Aborts the unfinished step between two of its micro-batches, and a download immediately. */
    signal: abort.signal,
    pause: () => command('pausing'),
    step: () => command('pausing', true),
    goOn: () => command('running'),
    stop(): void {
      command('stopping');
      abort.abort();
    },
    keep(): void {
      isKeepAsked = true;
    },
    update(facts: Partial<RunFacts>): void {
      const names = Object.keys(facts) as (keyof RunFacts)[];
      if (names.some((name) => facts[name] !== state[name])) change(state, facts);
    },
    opened(id: string, unkept: readonly string[]): void {
      change(state.is === 'opening' ? { is: 'running' } : state, { id, unkept, download: null });
    },
    /** Call this at the end of every step. */
    stepEnded(): void {
      isStepping = false;
    },
    /** Returns whether the trainer must write a checkpoint now, and clears a request by `keep`. */
    checkpointWanted(): boolean {
      const isWanted = isKeepAsked || mustPause() || state.is === 'stopping';
      isKeepAsked = false;
      return isWanted;
    },
    mustPause,
    /** Pauses until the next command, unless one came while the pause was stored. */
    paused(): Promise<void> {
      if (!mustPause()) return Promise.resolve();
      change({ is: 'paused' });
      return new Promise((resolve) => (release = resolve));
    },
    ended: (end: RunEnd): void => change({ is: 'ended', ...end }),
  };
}
