/**
 * A computation whose gradient is taken later: tfjs takes a gradient only of what it computes in the same call, so that a
 * forward pass which must be known before its loss is would run twice. Its tape is taken out here and put back. Whatever
 * tensors a gradient asks for must be saved on the tape: others are gone by then.
 */
import * as tf from '@tensorflow/tfjs-core';

interface TapeEngine {
  startTape(): void;
  endTape(): void;
  state: { activeTape: readonly { saved?: tf.Tensor[] }[] | null };
}

export interface RecordedTape {
  output: tf.Tensor;
  nodes: TapeEngine['state']['activeTape'];
}

const engine = (): TapeEngine => tf.engine() as unknown as TapeEngine;

export function hasKnownTape(): boolean {
  const { startTape, endTape, state } = engine() as Partial<TapeEngine>;
  return (
    [startTape, endTape].every((method) => typeof method === 'function') && 'gradientDepth' in (state ?? {})
  );
}

/** Runs `compute`, whose result the caller disposes of, and keeps its tape: for `replayed` or `dropTape`, once. */
export function recordTape(compute: () => tf.Tensor): RecordedTape {
  const { state } = engine();
  engine().startTape();
  try {
    return { output: tf.tidy(compute), nodes: state.activeTape };
  } finally {
    engine().endTape();
    state.activeTape = null;
  }
}

/** What `tf.grads` takes for the computation: the result, and its tape as if it had run now. */
export function replayed({ output, nodes }: RecordedTape): () => tf.Tensor {
  return () => {
    engine().state.activeTape = nodes;
    return output;
  };
}

/** Gives back what the tape has saved. */
export function dropTape({ nodes }: RecordedTape): void {
  for (const { saved } of nodes ?? []) tf.dispose(saved ?? []);
}
